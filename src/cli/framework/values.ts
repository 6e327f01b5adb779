import { basename } from "node:path";
import { HOP_BY_HOP_HEADERS } from "../../client/http/hop-by-hop.ts";
import { parseDuration } from "../../domain/duration.ts";
import { type Day, parseIsoDay } from "../../domain/entries/dates.ts";
import { usageError } from "../../domain/errors.ts";
import { isHostName } from "../../domain/net.ts";

/** A duration in milliseconds. A number without a unit is seconds, as for curl and timeout(1). */
export function parseDurationFlag(text: string): number {
  const duration = parseDuration(/^\d+(\.\d+)?$/.test(text) ? `${text}s` : text);
  if (duration !== null) return duration;
  throw usageError("option_invalid", `"${text}" is not a duration`, {
    hint: "write seconds, or numbers with units: 500ms, 90s, 15m, 1h30m, 3d",
  });
}

/** A number of days, as in `14d`. */
export function parseDays(text: string): number {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days !== undefined) return Number(days);
  throw usageError("option_invalid", `"${text}" is not a number of days`, { hint: "write days, as in 14d" });
}

interface Bounds {
  /** Names the value in messages, as in `a port`. */
  readonly what: string;
  readonly min: number;
  readonly max: number;
  /** What to do if more is wanted. */
  readonly more?: string;
}

export function parseInteger(text: string, { what, min, max, more }: Bounds): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  const hint = [`write a whole number from ${min} to ${max}`, more].filter(Boolean).join("; ");
  throw usageError("option_invalid", `"${text}" is not ${what}`, { hint });
}

/** Of ids, credentials and generated content. */
const MAX_SEED = 2 ** 32 - 1;

export const parseSeed = (text: string): number =>
  parseInteger(text, { what: "a seed", min: 0, max: MAX_SEED });

export const parsePort = (text: string): number =>
  parseInteger(text, { what: "a port", min: 0, max: 65_535 });

export const parseRowLimit = (text: string): number =>
  parseInteger(text, { what: "a number of rows", min: 1, max: 999_999_999 });

export function parseDay(text: string): Day {
  const day = parseIsoDay(text);
  if (day !== null) return day;
  throw usageError("option_invalid", `"${text}" is not a date`, { hint: "write YYYY-MM-DD" });
}

/**
 * @param what it names, as in `a profile`
 * @throws ClaimsError `option_invalid`
 */
export function parseName(text: string, what: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) return text;
  throw usageError("option_invalid", `"${text}" cannot name ${what}`, {
    hint: "use up to 64 letters, digits, dots, dashes and underscores",
  });
}

/** The host of a URL. @throws ClaimsError `option_invalid` */
export function parseHostName(text: string): string {
  if (isHostName(text)) return text;
  throw usageError("option_invalid", `"${text}" is not the name of a host`, {
    hint: "write it without a scheme and a port, as in sandbox or claims.test",
  });
}

/** For a port that another program uses. */
export const PORT_HINT = "choose another with --port, or --port 0 for a free one";

/** 1 to 255 visible ASCII characters: what a header holds and the sandbox accepts (product.md §5). */
export function parseIdempotencyKey(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw usageError("option_invalid", "an idempotency key has 1 to 255 visible ASCII characters", {
    hint: "use a UUID, or your own name for the submission",
  });
}

/**
 * Parses `Name: value`: a token (RFC 9110 §5.6.2) and visible ASCII.
 *
 * @param refused why a header cannot be set, by its name in lower case
 * @throws ClaimsError `option_invalid`, without the value, which can be a secret
 */
export function parseHeader(text: string, option: string, refused: ReadonlyMap<string, string>) {
  const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
  if (name === "" || !isVisibleAscii(value))
    throw usageError("option_invalid", `${option} ${name || "without a name"} is not a valid header`, {
      hint: `write ${option} 'Name: value', in visible ASCII characters`,
    });
  const lower = name.toLowerCase();
  const hint = HOP_BY_HOP_HEADERS.has(lower) ? HOP_BY_HOP_REASON : refused.get(lower);
  if (hint === undefined) return [name, value] as const;
  throw usageError("option_invalid", `the header ${name} cannot be set`, { hint });
}

const HOP_BY_HOP_REASON = "it is a header of the connection (RFC 9110 §7.6.1)";

const isVisibleAscii = (text: string): boolean => !/[^\t\x20-\x7e]/.test(text);

/** Errors show the name, so a secret in its place is refused. @throws ClaimsError `option_invalid`, without the text */
export function parseSecretFile(text: string, source: string): string {
  // No secret has a dot: `sk_live.key` is the name of a file.
  if (![text, basename(text)].some((name) => /^(whsec|sk|cs|at)_[^.]{8,}$/.test(name))) return text;
  throw usageError("option_invalid", `${source} looks like a secret, not like the path of a file`, {
    hint: "give the path of a file; a name with a dot, as secret.txt, is always a path",
  });
}

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
