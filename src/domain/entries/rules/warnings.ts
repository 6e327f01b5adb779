/** What was repaired in an accepted entry, as bits of `Row.warningMask`. Sorted, so that decoded masks are sorted. */
export const WARNING_BIT = {
  AMOUNT_FORMATTED: 1,
  COUNTRY_CASE: 2,
  DATE_TIME_DROPPED: 4,
  DATE_US_FORMAT: 8,
  DUTY_ABOVE_TOTAL: 16,
  ENTRY_NUMBER_REPAIRED: 32,
  HTS_NORMALISED: 64,
  LEADING_ZERO_RESTORED: 128,
  MPF_ABOVE_MAXIMUM: 256,
  SUMMARY_DATE_IMPLAUSIBLE: 512,
} as const;

export type WarningCode = keyof typeof WARNING_BIT;

/** What was repaired, and how the cell is written without the warning. */
export const WARNING_MESSAGES: Readonly<Record<WarningCode, string>> = {
  AMOUNT_FORMATTED:
    "An amount had $, spaces, thousands commas or a dash for zero, which were dropped. Write 1234.50.",
  COUNTRY_CASE: "A country was in lower case. Write it in capitals.",
  DATE_TIME_DROPPED: "A date had midnight after it, which was dropped. Write the date alone.",
  DATE_US_FORMAT: "A date was read as month/day/year. Write YYYY-MM-DD.",
  DUTY_ABOVE_TOTAL: "The IEEPA duty of an entry is above its total. Check both columns.",
  ENTRY_NUMBER_REPAIRED:
    'An entry number had spaces, small letters, dashes of a word processor or the text form ="…" of a spreadsheet. Write its 11 characters.',
  HTS_NORMALISED:
    "A tariff number was written with other dots or spaces, or with zeros before it. Write 9503000073, and 9903.02.60 in a list of chapter 99 numbers.",
  LEADING_ZERO_RESTORED:
    "A code had lost its leading zero. Format the column as text before you save the file.",
  MPF_ABOVE_MAXIMUM:
    "The merchandise processing fee of an entry is above $1,000, and by law at most $651.50. Check the column and its unit.",
  SUMMARY_DATE_IMPLAUSIBLE:
    "An entry summary date is before the entry date or more than 60 days after it, and interest starts there. Check both dates.",
};

const WARNING_CODES = Object.keys(WARNING_BIT) as WarningCode[];

const CODES_BY_MASK: readonly (readonly WarningCode[])[] = Array.from(
  { length: 1 << WARNING_CODES.length },
  (_, mask) => Object.freeze(WARNING_CODES.filter((code) => (mask & WARNING_BIT[code]) !== 0)),
);

/** The sorted codes of a mask, as the same array each time. */
export const decodeWarnings = (mask: number): readonly WarningCode[] => CODES_BY_MASK[mask] ?? [];
