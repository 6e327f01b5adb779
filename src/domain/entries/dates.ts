/** Days since 1970-01-01 UTC. */
export type Day = number;

const MS_PER_DAY = 86_400_000;
const MAX_MEMOIZED_DAYS = 20_000;
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** From 0001-01-01 to 1970-01-01. */
const DAYS_BEFORE_1970 = 719_162;

/** Returns null for a date that does not exist. */
export function toDay(year: number, month: number, day: number): Day | null {
  if (day < 1 || day > (DAYS_IN_MONTH[month - 1] ?? 0)) return null;
  if (month === 2 && day === 29 && !isLeap(year)) return null;
  // Years below 100 are two-digit years by mistake.
  if (year < 100) return null;
  const leapDay = month > 2 && isLeap(year) ? 1 : 0;
  return daysBeforeYear(year) + (DAYS_BEFORE_MONTH[month - 1] ?? 0) + leapDay + day - 1;
}

/** Integer arithmetic, because `Date.UTC` takes longer than the rest of a date cell. */
function daysBeforeYear(year: number): Day {
  const completeYears = year - 1;
  const leapDays =
    Math.floor(completeYears / 4) - Math.floor(completeYears / 100) + Math.floor(completeYears / 400);
  return completeYears * 365 + leapDays - DAYS_BEFORE_1970;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Parses `YYYY-MM-DD`. Returns null for another text and for a date that does not exist. */
export function parseIsoDay(text: string): Day | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return match === null ? null : toDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

/** The UTC day of a time in milliseconds since 1970. */
export const timeToDay = (milliseconds: number): Day => Math.floor(milliseconds / MS_PER_DAY);

const isoByDay = new Map<Day, string>();

/** Formats `YYYY-MM-DD`. It remembers the texts, because a file repeats its dates and a dataset row has up to seven. */
export function formatDay(day: Day): string {
  const known = isoByDay.get(day);
  if (known !== undefined) return known;
  // The year of a deadline after 9999-12-31 has more digits.
  const [text = ""] = new Date(day * MS_PER_DAY).toISOString().split("T");
  if (isoByDay.size >= MAX_MEMOIZED_DAYS) isoByDay.clear();
  isoByDay.set(day, text);
  return text;
}

export const formatOptionalDay = (day: Day | null): string | null => (day === null ? null : formatDay(day));
