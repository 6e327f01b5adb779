import type { ProcessIdentity } from "../../../process/identity.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { entriesOf, isUnknown, type JournalEntry, standingOf } from "../../journal/entry.ts";
import { journalOf } from "../../journal/journal.ts";
import { SUBMISSION } from "../../journal/record.ts";
import { type Column, list } from "../../output/output.ts";
import { wholeNumber } from "../../whole-number.ts";

const DEFAULT_LIMIT = 20;

const LIMIT = { what: "a number of rows", least: 1, most: 999_999_999, code: "invalid_limit" };

/** A write of this machine as a program reads it. */
interface Told
  extends Omit<JournalEntry, "begunAt" | "outcome" | "state" | keyof ProcessIdentity | "instance"> {
  /** Of the job where there is one, as it was seen last; otherwise how the write stands. */
  readonly state: string;
}

export const history = command({
  name: "history",
  summary: "show what was submitted from this machine, the latest first; offline",
  remote: false,
  answers: "list",
  options: {
    unknown: { help: "only writes of which nobody knows whether they were carried out" },
    operation: { value: "id", help: `only this operation, as in ${SUBMISSION}` },
    limit: {
      value: "n",
      parse: (text) => wholeNumber(text, LIMIT),
      help: `how many at the most (${DEFAULT_LIMIT})`,
    },
    all: { help: "all of them" },
  },
  examples: [
    "claims diligence history",
    "claims diligence history --unknown --json",
    "claims diligence history -q --limit 5 | claims diligence status -",
  ],
  async run(context, { global, options }) {
    const { unknown = false, operation, all = false, limit = DEFAULT_LIMIT } = options;
    const chosen = entriesOf(await journalOf(context).read())
      .reverse()
      .filter((entry) => operation === undefined || entry.operation === operation)
      .filter((entry) => !unknown || isUnknown(entry, context))
      .filter((entry) => !global.quiet || idOf(entry) !== null);
    const shown = all ? chosen : chosen.slice(0, limit);
    return list<Told>({
      items: shown.map((entry) => told(entry, context)),
      columns: COLUMNS,
      idOf,
      empty: unknown ? "no outcome is unknown" : "nothing was submitted from this machine yet",
    });
  },
});

/** Piped into `status -`: a resume would name its job once more. */
const idOf = ({ operation, jobId }: Pick<JournalEntry, "operation" | "jobId">): string | null =>
  operation === SUBMISSION ? jobId : null;

function told(entry: JournalEntry, context: Context): Told {
  const { begunAt, outcome, pid, startTime, pidNamespace, instance, ...rest } = entry;
  return { ...rest, state: standingOf(entry, context) };
}

const COLUMNS: readonly Column<Told>[] = [
  { name: "at", title: "at (UTC)", of: ({ at }) => at, shown: ({ at }) => at.slice(0, 16).replace("T", " ") },
  { name: "jobId", title: "job", isId: true, of: ({ jobId }) => jobId },
  { name: "state", of: ({ state }) => state },
  { name: "file", of: ({ file }) => file, shown: ({ file, operation }) => file ?? operation },
  { name: "seller", of: ({ seller }) => seller },
  { name: "key", of: ({ key }) => key, hidden: true },
  { name: "operation", of: ({ operation }) => operation, hidden: true },
  { name: "bytes", of: ({ bytes }) => bytes, hidden: true },
  { name: "code", of: ({ code }) => code, hidden: true },
  { name: "environment", of: ({ environment }) => environment, hidden: true },
  { name: "baseUrl", of: ({ baseUrl }) => baseUrl, hidden: true },
];
