import { type Day, dayOf, parseIsoDay } from "./dates.ts";
import { Memo } from "./memo.ts";

/** What a date cell says; `day` counts only without a fault. */
export interface DateReading {
  readonly day: Day;
  /** Written `M/D/YYYY`. */
  readonly us: boolean;
  readonly fault: "DATE_AMBIGUOUS_DAY_FIRST" | "DATE_INVALID" | null;
}

const US_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

function read(cell: string): DateReading {
  const match = US_DATE.exec(cell);
  if (match === null) return reading(parseIsoDay(cell), false);
  const [month, day, year] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month > 12 && day <= 12) return { day: 0, us: true, fault: "DATE_AMBIGUOUS_DAY_FIRST" };
  return reading(dayOf(year, month, day), true);
}

function reading(day: Day | null, us: boolean): DateReading {
  return day === null ? { day: 0, us, fault: "DATE_INVALID" } : { day, us, fault: null };
}

/** A memoised reader of date cells; one a file, so that nothing outlives it. */
export function dateCells(): Memo<DateReading> {
  return new Memo(read, 20_000, 10);
}
