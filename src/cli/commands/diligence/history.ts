import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { parseInteger } from "../../framework/values.ts";
import { hiddenColumns, toListOutput } from "../../output/output.ts";
import { SUBMIT_OPERATION } from "../../write-log/events.ts";
import { openWriteLog } from "../../write-log/write-log.ts";
import {
  describeStatus,
  hasUnknownOutcome,
  toWriteRecords,
  type WriteRecord,
} from "../../write-log/write-record.ts";

const DEFAULT_LIMIT = 20;

const LIMIT = { what: "a number of rows", min: 1, max: 999_999_999, code: "invalid_limit" } as const;

export const history = command({
  name: "history",
  summary: "list the writes of this machine, newest first; offline",
  output: "list",
  options: {
    unknown: { help: "only writes whose outcome is unknown" },
    operation: { value: "id", help: `filter by operation, as in ${SUBMIT_OPERATION}` },
    limit: {
      value: "n",
      parse: (text) => parseInteger(text, LIMIT),
      help: "maximum number of rows",
      default: DEFAULT_LIMIT,
    },
    all: { help: "list every row" },
  },
  examples: [
    "claims diligence history",
    "claims diligence history --unknown --json",
    "claims diligence history -q --limit 5 | claims diligence status -",
  ],
  async run(context, { global, options }) {
    const { unknown = false, operation, all = false, limit = DEFAULT_LIMIT } = options;
    const found = toWriteRecords(await openWriteLog(context).read())
      .reverse()
      .filter((entry) => operation === undefined || entry.operation === operation)
      .filter((entry) => !unknown || hasUnknownOutcome(entry, context))
      .filter((entry) => !global.quiet || idOf(entry) !== null);
    return toListOutput({
      items: (all ? found : found.slice(0, limit)).map((entry) => toRow(entry, context)),
      columns: [
        {
          name: "at",
          title: "at (UTC)",
          isWhole: true,
          canWrap: true,
          display: ({ at }) => at.slice(0, 16).replace("T", " "),
        },
        { name: "jobId", title: "job", isId: true },
        { name: "state" },
        { name: "file", display: ({ file, operation: name }) => file ?? name },
        { name: "seller", isWhole: true },
        ...hiddenColumns("key", "operation", "bytes", "code", "environment", "baseUrl"),
      ],
      idOf,
      emptyMessage: unknown ? "no unknown outcomes" : "no writes from this machine yet",
    });
  },
});

/** For `status -`, which needs each job once: a resume has the id of a job that was submitted before. */
const idOf = ({ operation, jobId }: Pick<WriteRecord, "operation" | "jobId">): string | null =>
  operation === SUBMIT_OPERATION ? jobId : null;

/** The state is the last known state of the job, or the outcome of the write. */
function toRow(entry: WriteRecord, context: Context) {
  const { type, lastAttemptAt, openAttempts, outcome, pid, startTime, pidNamespace, instance, ...rest } =
    entry;
  return { ...rest, state: describeStatus(entry, context) };
}
