/** What a money cell says; `cents` is 0 when there is a fault. */
export interface MoneyReading {
  readonly cents: number;
  readonly fault: "AMOUNT_NEGATIVE" | "AMOUNT_NOT_NUMERIC" | null;
}

const MAX_WHOLE_DIGITS = 11;

const NEGATIVE: MoneyReading = { cents: 0, fault: "AMOUNT_NEGATIVE" };
const NOT_NUMERIC: MoneyReading = { cents: 0, fault: "AMOUNT_NOT_NUMERIC" };

/** Cents of `digits[.d[d]]` with 1-11 whole digits; -1 for anything else. By character: this is the hottest rule. */
export function plainCents(text: string): number {
  const length = text.length;
  let at = 0;
  let value = 0;
  while (at < length) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
    at += 1;
  }
  if (at === 0 || at > MAX_WHOLE_DIGITS) return -1;
  if (at === length) return value * 100;
  const decimals = length - at - 1;
  if (text.charCodeAt(at) !== 46 || decimals < 1 || decimals > 2) return -1;
  const tenths = text.charCodeAt(at + 1) - 48;
  const hundredths = decimals === 2 ? text.charCodeAt(at + 2) - 48 : 0;
  if (tenths < 0 || tenths > 9 || hundredths < 0 || hundredths > 9) return -1;
  return value * 100 + tenths * 10 + hundredths;
}

/** Reads a cell that {@link plainCents} refused: dollar signs, spaces and thousands commas are dropped. */
export function formattedCents(text: string): MoneyReading {
  const bare = bareAmount(text);
  if (bare.startsWith("(") || bare.startsWith("-")) return NEGATIVE;
  const cents = plainCents(bare);
  return cents === -1 ? NOT_NUMERIC : { cents, fault: null };
}

function bareAmount(text: string): string {
  const dense = text.startsWith("$") && isDense(text) ? text.slice(1) : text.replace(/[$\s]/g, "");
  return dense.includes(",") ? dense.replace(/,(?=\d{3}(?!\d))/g, "") : dense;
}

/** True when nothing but the first character is to be dropped: the form that exports write. */
function isDense(text: string): boolean {
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 0x24 || code > 0x7e) return false;
  }
  return true;
}
