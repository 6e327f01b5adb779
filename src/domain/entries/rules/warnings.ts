/** What was repaired in an accepted entry, as bits of `Row.warningMask`. Sorted, so that decoded masks are sorted. */
export const WARNING_BIT = {
  AMOUNT_FORMATTED: 1,
  DATE_US_FORMAT: 2,
  ENTRY_NUMBER_REPAIRED: 4,
  HTS_NORMALISED: 8,
  LEADING_ZERO_RESTORED: 16,
} as const;

export type WarningCode = keyof typeof WARNING_BIT;

const WARNING_CODES = Object.keys(WARNING_BIT) as WarningCode[];

const CODES_BY_MASK: readonly (readonly WarningCode[])[] = Array.from(
  { length: 1 << WARNING_CODES.length },
  (_, mask) => Object.freeze(WARNING_CODES.filter((code) => (mask & WARNING_BIT[code]) !== 0)),
);

/** The sorted codes of a mask, as the same array each time. */
export const decodeWarnings = (mask: number): readonly WarningCode[] => CODES_BY_MASK[mask] ?? [];
