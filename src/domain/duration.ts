const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const PART = String.raw`(\d+(?:\.\d+)?)(ms|s|m|h|d)`;
const WHOLE = new RegExp(`^(${PART})+$`);

/** Reads `3d`, `1h30m`, `1.5s`, `500ms` as whole milliseconds; null for other texts. */
export function parseDuration(text: string): number | null {
  if (!WHOLE.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(new RegExp(PART, "g"))) {
    total += Number(amount) * (UNIT_MS[unit ?? ""] ?? 0);
  }
  return Math.round(total);
}
