import type { ProcessIdentity } from "../../../process/identity.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { parseInteger } from "../../framework/values.ts";
import { type ListColumn, toListOutput } from "../../output/output.ts";
import { SUBMIT_OPERATION } from "../../write-log/events.ts";
import { openWriteLog } from "../../write-log/write-log.ts";
import {
  describeStatus,
  hasUnknownOutcome,
  toWriteRecords,
  type WriteRecord,
} from "../../write-log/write-record.ts";

const DEFAULT_LIMIT = 20;

const LIMIT = { what: "a number of rows", min: 1, max: 999_999_999, code: "invalid_limit" };

/** A write of this machine as a program reads it. */
interface HistoryRow
  extends Omit<WriteRecord, "lastAttemptAt" | "outcome" | "state" | keyof ProcessIdentity | "instance"> {
  /** Of the job where there is one, as it was seen last; otherwise how the write stands. */
  readonly state: string;
}

export const history = command({
  name: "history",
  summary: "show what was submitted from this machine, the latest first; offline",
  remote: false,
  output: "list",
  options: {
    unknown: { help: "only writes of which nobody knows whether they were carried out" },
    operation: { value: "id", help: `only this operation, as in ${SUBMIT_OPERATION}` },
    limit: {
      value: "n",
      parse: (text) => parseInteger(text, LIMIT),
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
    const chosen = toWriteRecords(await openWriteLog(context).read())
      .reverse()
      .filter((entry) => operation === undefined || entry.operation === operation)
      .filter((entry) => !unknown || hasUnknownOutcome(entry, context))
      .filter((entry) => !global.quiet || idOf(entry) !== null);
    const shown = all ? chosen : chosen.slice(0, limit);
    return toListOutput<HistoryRow>({
      items: shown.map((entry) => toRow(entry, context)),
      columns: COLUMNS,
      idOf,
      emptyMessage: unknown ? "no outcome is unknown" : "nothing was submitted from this machine yet",
    });
  },
});

/** Piped into `status -`: a resume would name its job once more. */
const idOf = ({ operation, jobId }: Pick<WriteRecord, "operation" | "jobId">): string | null =>
  operation === SUBMIT_OPERATION ? jobId : null;

function toRow(entry: WriteRecord, context: Context): HistoryRow {
  const { lastAttemptAt, outcome, pid, startTime, pidNamespace, instance, ...rest } = entry;
  return { ...rest, state: describeStatus(entry, context) };
}

const COLUMNS: readonly ListColumn<HistoryRow>[] = [
  {
    name: "at",
    title: "at (UTC)",
    display: ({ at }) => at.slice(0, 16).replace("T", " "),
  },
  { name: "jobId", title: "job", isId: true },
  { name: "state" },
  { name: "file", display: ({ file, operation }) => file ?? operation },
  { name: "seller" },
  { name: "key", isHidden: true },
  { name: "operation", isHidden: true },
  { name: "bytes", isHidden: true },
  { name: "code", isHidden: true },
  { name: "environment", isHidden: true },
  { name: "baseUrl", isHidden: true },
];
