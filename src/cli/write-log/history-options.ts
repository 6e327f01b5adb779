import { parseDuration } from "../../domain/duration.ts";
import { usageError } from "../../domain/errors.ts";
import type { OptionSpecs } from "../framework/options.ts";
import { parseRowLimit } from "../framework/values.ts";

export const DEFAULT_LIMIT = 20;

/** Returns a time in milliseconds since the epoch: a duration before now, or a given time. */
export type Since = (nowMs: number) => number;

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
