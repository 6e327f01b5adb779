import { formatDay, toDay } from "../dates.ts";
import { computeCheckDigit, isEntryNumber } from "./entry-number.ts";

type Forms = readonly (readonly [form: RegExp, advise: (match: RegExpExecArray) => string])[];

const ISO = "Write YYYY-MM-DD.";

/** Day 0 of the serial numbers of spreadsheets is 1899-12-30. */
const SERIAL_START = toDay(1899, 12, 30) ?? 0;

/** Forms of dates that are not read, the most specific first. */
const DATE_FORMS: Forms = [
  [/\d:\d\d/, () => `It has a time of day. ${ISO}`],
  [/^\d{1,2}[/.-]\d{1,2}[/.-]\d{2}$/, () => `It has a two-digit year. ${ISO}`],
  [
    /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/i,
    () => `It writes the month as a word. ${ISO}`,
  ],
  [
    /^\d{5}(?:\.0+)?$/,
    ([serial]) =>
      `It is the serial number of a spreadsheet, for ${formatDay(SERIAL_START + Number(serial))}. ${ISO}`,
  ],
  [/^(\d{4})(\d\d)(\d\d)$/, ([, year, month, day]) => `Write ${year}-${month}-${day}.`],
  [/^(\d{4})[/.](\d\d?)[/.](\d\d?)$/, () => `It has no dashes. ${ISO}`],
  [
    /^\d{1,2}([-.])\d{1,2}\1\d{4}$/,
    ([, mark]) =>
      `With ${mark === "-" ? "dashes" : "dots"}, it is not clear whether the day or the month comes first. ${ISO}`,
  ],
];

/** What programs write for a value that is missing. */
const NO_VALUE = /^(?:#?n\/?a|<na>|none|\[?null\]?|#null!|nan|nat|nil|\\n|\.|-+)$/i;

/** The first and last days of spreadsheets, databases and programs, which stand for no date. */
const EMPTY_DATE =
  /^(?:1\/[01]\/1900|12\/3[01]\/1899|0?1\/0?1\/(?:0001|1753|1970)|(?:0001|1753|1900|1970)-01-01|1900-01-00|1899-12-3[01]|0000-00-00|9999-12-31|12\/31\/9999)/;

/** Whether a cell stands for no name: a missing value, an error or a formula of a spreadsheet, or a zero. */
export const isNoName = (cell: string): boolean => isNoValue(cell) || /^(?:#\S+|=.*|0+)$/.test(cell.trim());

/** Whether a cell has a word or a date for a missing value. */
export const isNoValue = (cell: string): boolean => NO_VALUE.test(cell.trim()) || EMPTY_DATE.test(cell);

const writeAmount = (text: string): string => `Write ${text}.`;

const removeGroups = (text: string): string => text.replace(/[^\d.]/g, "");

/** Forms of amounts that are not read. */
const AMOUNT_FORMS: Forms = [
  [/^(?:\.\d{1,2}|\d+\.)$/, ([text]) => writeAmount(Number(text).toFixed(2))],
  [
    /^(\d{1,3}(?:[. \u00a0\u202f]?\d{3})*),(\d{1,2})$/,
    ([, whole = "", cents]) =>
      `It has a decimal comma. ${writeAmount(`${whole.replace(/\D/g, "")}.${cents}`)}`,
  ],
  [
    /^(?:0*|\d{4,}),\d{3,}$/,
    () => "It seems to have a decimal comma. Round it to cents, and write it with a point.",
  ],
  [
    /^\d+(?:[ \u00a0\u202f]+\d+)+(?:\.\d{1,2})?$/,
    () => "It has spaces elsewhere than between groups of three digits: is it one amount?",
  ],
  [
    /^\d{1,3}(?:['’]\d{3})+(?:\.\d{1,2})?$/,
    ([text]) => `It has apostrophes between thousands. ${writeAmount(removeGroups(text))}`,
  ],
  [
    /^[\d.,]+ ?[-\u2010-\u2015\u2212]$|^\$? ?[\u2010-\u2015\u2212] ?\$? ?[\d.]/,
    () => "It has a minus sign, before it or, as SAP writes it, at its end. An amount must not be negative.",
  ],
  [
    /^\d(?:\.\d+)?E[+-]?\d+$/i,
    () => "A spreadsheet shows it in scientific format: format the column as a number with two decimals.",
  ],
  [
    /^(?:US\$|USD) ?(\d[\d,]*(?:\.\d{1,2})?)$|^(\d[\d,]*(?:\.\d{1,2})?) ?(?:US\$|USD)$/i,
    ([, after = "", before = ""]) => `It names the currency. ${writeAmount(removeGroups(after || before))}`,
  ],
  [
    /^([A-Z]{3}|[A-Z]{0,2}\p{Sc}) ?\d[\d.,]*$|^\d[\d.,]* ?([A-Z]{3}|[A-Z]{0,2}\p{Sc})$/u,
    ([, before, after]) => `It names the currency ${before ?? after}, but an amount is in US dollars.`,
  ],
  [
    /^0+[1-9]\d*$/,
    () =>
      "It has zeros before it and no point, as amounts in cents of fixed-width records. Write it with a point.",
  ],
  [
    /^[1-9]\d{0,2}(?:\.\d{3})+$/,
    ([text]) =>
      `Does its point separate thousands, as in some countries? Then write ${text.replaceAll(".", "")}. If it is a decimal point, write two decimals.`,
  ],
  [/^\d+\.\d{3,}$/, () => "It has more than two decimals. Round it to cents."],
  [
    /^[\d,]*,[\d,]*(?:\.\d{1,2})?$/,
    ([text]) =>
      `Its thousands are not groups of three digits. If the digits are right, ${writeAmount(removeGroups(text)).toLowerCase()}`,
  ],
  [/\$.*\$|\d\$\d/, () => "A dollar sign stands once, before or after the amount."],
];

/** Forms of tariff numbers that are not read. */
const TARIFF_FORMS: Forms = [
  [
    /^\d+\.0+$/,
    () =>
      "A spreadsheet or pandas took it for a number with decimals, so that a leading zero may be lost. Import the column as text (in pandas, dtype=str).",
  ],
  [
    /^\d(?:\.\d+)?E[+-]?\d+$/i,
    () => "A spreadsheet shows it in scientific format, so that digits are lost. Import the column as text.",
  ],
  [
    /^[1-9](?:\d{6}|\d{8})$/,
    ([digits]) =>
      `A spreadsheet may have taken it for a number: it is 0${digits} if only a zero was lost. Import the column as text.`,
  ],
  [/^00/, () => "It begins with 00, and the tariff has no chapter 00: write its 8 or 10 digits."],
  [/^\d{4}\.?\d{1,2}(?:\.\d)?$/, () => "Its last digits are missing. Import the column as text."],
  [/^[\d. ]*[. ][\d. ]*$/, () => "Dots and spaces stand only after 4, 6 and 8 digits, as in 9503.00.0073."],
];

const CODE_FORMS: Forms = [
  [/^UK$/i, () => "Write GB for the United Kingdom."],
  [/^(\d\d?|[A-Z]{2})\s*[-–:]\s*\S/i, ([, code = ""]) => `Write the code alone: ${code.toUpperCase()}.`],
];

const advise = (forms: Forms, text: string): string => {
  for (const [form, toAdvice] of forms) {
    const match = form.exec(text);
    if (match) return toAdvice(match);
  }
  return "";
};

/** What a cell that is no date is, and what to write; "" if its form is unknown. */
export const adviseDate = (cell: string): string => advise(DATE_FORMS, cell.trim()) || ISO;

/** What a cell that is no amount is, and what to write; "" if its form is unknown. */
export const adviseAmount = (cell: string): string =>
  advise(AMOUNT_FORMS, cell.trim().replace(/^\$\s*(?=\d)|(?<=\d)\s*\$$/, ""));

/** What to write for a country or an entry type; "" if its form is unknown. */
export const adviseCode = (cell: string): string => advise(CODE_FORMS, cell.trim());

/** What a cell that is no tariff number is; "" if its form is unknown. */
export const adviseTariffNumber = (cell: string): string => advise(TARIFF_FORMS, cell.trim());

/** The number of an entry without the filer code before it. */
const NO_FILER_CODE = /^\d{7}-?\d$/;

const NO_CHECK_DIGIT = /^[A-Z0-9]{3}-\d{7}$/;

const IN_PARTS = /^([A-Z0-9]{3})-(\d{1,7})-(\d)$/;

const formatEntryNumber = (number: string): string =>
  `${number.slice(0, 3)}-${number.slice(3, 10)}-${number.slice(10)}`;

/** What an entry number of another length lacks; "" for one without dashes if that is not clear. */
export function adviseEntryNumber(cell: string): string {
  if (NO_FILER_CODE.test(cell))
    return 'It lacks the three characters of the filer code before it. If another column has them, such as "Filer Code", join the two.';
  const text = cell.toUpperCase();
  const number = text.replaceAll("-", "");
  const padded = text.replace(IN_PARTS, (_, filer, serial, digit) => filer + serial.padStart(7, "0") + digit);
  if (isEntryNumber(padded))
    return `Between its dashes stand seven digits: it is ${formatEntryNumber(padded)} if only zeros were lost.`;
  // A spreadsheet that takes an entry number for a number drops its first zeros, and may add decimals.
  const restored = /^\d{9,11}(?:\.0+)?$/.test(number) ? number.replace(/\..*/, "").padStart(11, "0") : "";
  if (isEntryNumber(restored))
    return `A spreadsheet took it for a number: it is ${formatEntryNumber(restored)} if only zeros were lost. Import the column as text.`;
  if (NO_CHECK_DIGIT.test(text))
    return `It lacks the check digit: it is ${formatEntryNumber(number + computeCheckDigit(number))} if the others are right.`;
  return text.includes("-")
    ? "Write the filer code, seven digits and the check digit, as in SP7-0000001-4."
    : "";
}
