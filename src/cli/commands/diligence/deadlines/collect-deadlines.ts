import { isUrgent } from "../../../../domain/diligence/entry-classifier.ts";
import { type Day, formatDay, parseIsoDay } from "../../../../domain/entries/dates.ts";
import { unreachableError, usageError } from "../../../../domain/errors.ts";
import type { DatasetEntry } from "../dataset/entries.ts";

/** The entries of a job with one deadline and one route. */
export interface DeadlineGroup {
  readonly deadline: string;
  readonly daysLeft: number;
  /** Within 14 days (diligence-model §2). */
  readonly urgent: boolean;
  readonly route: string | null;
  entries: number;
  /** Null if the service sends no amounts. */
  ieepaDutyCents: number | null;
}

/**
 * @param isCounted whether no job that was read before has the entry
 * @returns the deadlines from `from` to `to`, the first one after them, and the numbers of entries whose deadline was
 *   before, and that are not counted
 * @throws ClaimsError `unknown_field` if no entry has a deadline
 */
export async function collectDeadlines(
  entries: AsyncIterable<DatasetEntry>,
  { from, to }: { readonly from: Day; readonly to: Day },
  isCounted: (entryNumber: string) => boolean,
) {
  const groups = new Map<string, DeadlineGroup>();
  let later: Day | null = null;
  let passedEntries = 0;
  let repeatedEntries = 0;
  let isKnown = false;
  let first: DatasetEntry | undefined;
  for await (const entry of entries) {
    first ??= entry;
    isKnown ||= Object.hasOwn(entry, NEXT_DEADLINE);
    const { entryNumber } = entry;
    if (typeof entryNumber === "string" && !isCounted(entryNumber)) {
      repeatedEntries += 1;
      continue;
    }
    const day = parseDeadline(entry[NEXT_DEADLINE]);
    if (day === null) continue;
    if (day < from) passedEntries += 1;
    else if (day > to) later = Math.min(day, later ?? day);
    else addToGroup(groups, entry, day, from);
  }
  if (first !== undefined && !isKnown) {
    throw usageError("unknown_field", `the dataset has no field ${NEXT_DEADLINE}`, {
      hint: `the fields are ${Object.keys(first).join(", ")}`,
    });
  }
  return { groups: [...groups.values()], later, passedEntries, repeatedEntries };
}

function addToGroup(
  groups: Map<string, DeadlineGroup>,
  { route, ieepaDutyCents: duty }: DatasetEntry,
  day: Day,
  today: Day,
): void {
  const deadline = formatDay(day);
  const name = `${deadline} ${route}`;
  const group = groups.get(name) ?? {
    deadline,
    daysLeft: day - today,
    urgent: isUrgent(day, today),
    route: typeof route === "string" ? route : null,
    entries: 0,
    ieepaDutyCents: 0,
  };
  group.entries += 1;
  if (group.ieepaDutyCents !== null)
    group.ieepaDutyCents = typeof duty === "number" ? group.ieepaDutyCents + duty : null;
  groups.set(name, group);
}

/** The field of a dataset row with the deadline of its route (diligence-model §3). */
const NEXT_DEADLINE = "nextDeadline";
const ISO_DATE_LENGTH = "2026-02-20".length;

/** Null for none. A service may send a time instead of a date. */
function parseDeadline(value: unknown): Day | null {
  if (value === null || value === undefined || value === "") return null;
  const day = typeof value === "string" ? parseIsoDay(value.slice(0, ISO_DATE_LENGTH)) : null;
  if (day !== null) return day;
  throw unreachableError(
    "unexpected_response",
    `the dataset has the ${NEXT_DEADLINE} ${JSON.stringify(value)}`,
    { hint: "expected YYYY-MM-DD; print what the service sends with --json or --csv" },
  );
}
