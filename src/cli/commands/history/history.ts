import { isJobId } from "../../../domain/diligence/job-id.ts";
import { parseDuration } from "../../../domain/duration.ts";
import { usageError } from "../../../domain/errors.ts";
import { quoteValue } from "../../../domain/json.ts";
import { type AnyCommand, command } from "../../framework/command.ts";
import type { OptionSpecs } from "../../framework/options.ts";
import { parseInteger, parseRowLimit } from "../../framework/values.ts";

const DEFAULT_LIMIT = 20;

/** Returns a time in milliseconds since the epoch: a duration before now, or a given time. */
type Since = (nowMs: number) => number;

function parseSince(text: string): Since {
  const duration = parseDuration(text);
  if (duration !== null) return (nowMs) => nowMs - duration;
  const time = /^\d{4}-\d{2}-\d{2}($|T)/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return () => time;
  throw usageError("option_invalid", `"${text}" is neither a duration nor a time`, {
    hint: "write 24h, 7d, YYYY-MM-DD or an RFC 3339 time",
  });
}

export const historyOptions = {
  submissions: { help: "print only submissions; with -q, their job ids" },
  unknown: {
    help: "print only writes whose outcome is open; exit 10 if one needs a decision, 6 if the next run repeats them",
  },
  since: {
    value: "time",
    parse: parseSince,
    help: "print only writes since then: 24h, 7d, a date or a time",
  },
  state: {
    value: "state",
    help: "print only writes with this outcome or last seen state, as in refused, unknown or completed",
  },
  seller: { value: "name", help: "print only submissions for this seller; a part of the name is enough" },
  limit: { value: "n", parse: parseRowLimit, help: "maximum number of rows", default: DEFAULT_LIMIT },
  all: { help: "print every row" },
} as const satisfies OptionSpecs;

const history = command({
  name: "history",
  prints: "Writes",
  summary: "list the writes of this machine, newest first, and decide about open ones; offline",
  output: "list",
  quietPrints: "idempotency keys; with --submissions job ids",
  options: historyOptions,
  examples: [
    "claims history --since 24h",
    "claims history --unknown -q",
    "claims history --submissions -q --limit 5 | claims diligence status -",
  ],
  async run(context, { global, options }) {
    const { listWrites } = await import("./writes.ts");
    return listWrites(context, global, { ...options, limit: options.limit ?? DEFAULT_LIMIT });
  },
});

function parseJobId(text: string): string {
  // The hints of other commands have ID in the place of the id.
  const isPlaceholder = text === "ID" || text.trim() === "";
  if (isJobId(text) && !isPlaceholder) return text;
  throw usageError(isPlaceholder ? "option_invalid" : "invalid_id", `${quoteValue(text)} is not a job id`, {
    option: "--job-id",
    hint: "ask the service for the job, and write its id in the place of ID",
  });
}

const resolve = command({
  name: "history resolve",
  prints: "Writes",
  summary: "record the outcome of a write that is unknown or forgotten, or that was recorded wrong",
  output: "list",
  arguments: [
    {
      name: "key",
      help: "idempotency key of the write, as `claims history --unknown` shows it",
      isOptional: true,
    },
  ],
  options: {
    all: { help: "with --job-id-path: each submission that was accepted without a readable job id" },
    jobIdPath: {
      value: "path",
      help: "with --all: the place of the job id in the saved responses: a path, or header:Location",
    },
    jobId: { value: "id", parse: parseJobId, help: "the service accepted the submission as this job" },
    accepted: { help: "the service accepted the write" },
    refused: { help: "the service did not accept the write; the next run sends it, under a new key" },
    sentAt: { value: "time", help: "time of the write, if several writes have the key" },
  },
  examples: [
    "claims history resolve 5f0c… --job-id 7d9c…",
    "claims history resolve 5f0c… --refused",
    "claims history resolve --all --job-id-path data.ticket",
  ],
  async run(context, { args, options }) {
    const { accepted, all, jobId, jobIdPath, refused, sentAt } = options;
    const outcomes = [accepted, jobId, refused].filter((given) => given !== undefined).length;
    if (all || jobIdPath !== undefined) {
      if (!all || jobIdPath === undefined || outcomes > 0 || (args.key ?? sentAt) !== undefined)
        throw usageError("option_conflict", "--all goes with --job-id-path, and with nothing else", {
          hint: "`claims history resolve --all --job-id-path PATH` reads the ids from the saved responses",
        });
      // One place has the ids of all responses that were saved.
      const { resolveByPath } = await import("./resolve-writes.ts");
      return resolveByPath(context, jobIdPath);
    }
    if (args.key === undefined)
      throw usageError("missing_option", "name the key of a write, or give --all with --job-id-path", {
        hint: "`claims history --unknown` shows the keys",
      });
    if (outcomes !== 1) {
      throw usageError("missing_option", "give one of --job-id, --accepted and --refused", {
        hint: "look at the service; if you cannot find out, use `claims history forget`",
      });
    }
    const { resolveWrites } = await import("./resolve-writes.ts");
    const resolution = { outcome: refused ? "refused" : "accepted", jobId: jobId ?? null } as const;
    return resolveWrites(context, [args.key], resolution, sentAt);
  },
});

const forget = command({
  name: "history forget",
  prints: "Writes",
  summary:
    "give up on writes whose outcome cannot be found out: they count as sent; or on a line of the log that cannot be read",
  output: "list",
  arguments: [
    {
      name: "keys",
      help: "idempotency keys of the writes, which no later run sends again by itself; - reads them from stdin",
      isVariadic: true,
      isOptional: true,
    },
  ],
  options: {
    line: {
      value: "n",
      parse: (text) =>
        parseInteger(text, { what: "the number of a line", min: 1, max: Number.MAX_SAFE_INTEGER }),
      help: "record that you have looked at this line of the write log, which cannot be read",
    },
    batchLog: { value: "file", help: "with --line: the batch log that has the line" },
  },
  examples: [
    "claims history forget 5f0c…",
    "claims history --unknown -q | claims history forget -",
    "claims history forget --line 12",
  ],
  async run(context, { args, options }) {
    const { batchLog, line } = options;
    const hasKeys = args.keys.length > 0;
    const hasLine = line !== undefined;
    if (hasKeys === hasLine) {
      throw usageError("missing_option", "give either keys of writes or --line", {
        hint: "`claims history --unknown` shows the keys; an error about a line names its number",
      });
    }
    if (hasLine) {
      const { forgetLine } = await import("./resolve-writes.ts");
      return forgetLine(context, line, batchLog);
    }
    const { readIds } = await import("../../files/input-file.ts");
    const hint = "pipe keys in: `claims history --unknown -q | claims history forget -`";
    const keys = await readIds(context, args.keys, hint);
    const { resolveWrites } = await import("./resolve-writes.ts");
    return resolveWrites(context, [...new Set(keys)], { outcome: "forgotten", jobId: null });
  },
});

/** Every command loads them, so they load the log themselves. */
export const historyCommands: readonly AnyCommand[] = [history, resolve, forget];
