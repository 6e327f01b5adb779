import { ClaimsError } from "../domain/errors.ts";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `"90s"`, `"15m"`, `"500ms"`, `"2h"`, `"3d"` as milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) {
    throw new ClaimsError("usage", "invalid_duration", `"${text}" is not a duration`, {
      hint: "write a number and a unit: 500ms, 90s, 15m, 2h, 3d",
    });
  }
  return Number(amount) * UNITS[unit as keyof typeof UNITS];
}
