import type { WarningCode } from "../entry.ts";

/** Bits of `Row.warnings`; in the order of their codes, so that a decoded mask is sorted. */
export const WARNING_BIT = {
  AMOUNT_FORMATTED: 1,
  DATE_US_FORMAT: 2,
  ENTRY_NUMBER_REPAIRED: 4,
  HTS_NORMALISED: 8,
  LEADING_ZERO_RESTORED: 16,
} as const satisfies Record<WarningCode, number>;

const WARNING_CODES = Object.keys(WARNING_BIT) as WarningCode[];

const CODES_BY_MASK: readonly (readonly WarningCode[])[] = Array.from(
  { length: 1 << WARNING_CODES.length },
  (_, mask) => Object.freeze(WARNING_CODES.filter((code) => (mask & WARNING_BIT[code]) !== 0)),
);

/** The codes of a mask, sorted; the same array every time. */
export function decodeWarnings(mask: number): readonly WarningCode[] {
  return CODES_BY_MASK[mask] ?? [];
}
