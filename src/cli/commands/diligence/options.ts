import { MAX_SELLER_NAME_LENGTH } from "../../../domain/diligence/seller-matcher.ts";
import { type ClaimsError, rejectedError, usageError } from "../../../domain/errors.ts";
import { quoteValue, valueAt } from "../../../domain/json.ts";
import { formatCount, formatThousands } from "../../../domain/numbers.ts";
import type { ArgumentSpec } from "../../framework/command.ts";
import type { OptionSpecs, OptionValues } from "../../framework/options.ts";
import { parseDurationFlag } from "../../framework/values.ts";
import { onDuplicateOption } from "../../write-log/write-options.ts";

export const entryFileArgument = {
  name: "file",
  help: "CSV file of entries, or - for stdin",
} as const satisfies ArgumentSpec;

export const jobArgument = {
  name: "job",
  help: "job id, as submit prints it; - reads it from stdin",
  isOptional: true,
} as const satisfies ArgumentSpec;

export const jobArguments = {
  name: "jobs",
  help: "job ids, as submit prints them; - reads them from stdin, one a line",
  isVariadic: true,
  isOptional: true,
} as const satisfies ArgumentSpec;

/** In place of a job id. */
export const last = {
  last: { help: "use the last job that this machine submitted to this service" },
} as const satisfies OptionSpecs;

/** Names that look the same are the same, or a file would be submitted once for each. */
export const normalizeSellerName = (text: string): string =>
  text
    .trim()
    .replace(/[^\S\r\n]+/gu, " ")
    .normalize("NFC");

/**
 * The name without white space around it: a line end of a file with variables would make another submission of the same file.
 * An unset variable of a script gives a blank name.
 */
export function parseSellerName(text: string): string {
  const name = normalizeSellerName(text);
  const isTooLong = [...name].length > MAX_SELLER_NAME_LENGTH;
  const problem =
    (name === "" && "is blank") ||
    (isTooLong && `is longer than ${MAX_SELLER_NAME_LENGTH} characters`) ||
    (/\p{Cc}/u.test(name) && "has a line end or another control character");
  if (!problem) return name;
  throw usageError("option_invalid", `the name of the seller ${problem}`, {
    hint: `give 1 to ${MAX_SELLER_NAME_LENGTH} characters`,
  });
}

/** Of the commands that a night job runs. */
export const retryForOption = {
  retryFor: {
    value: "duration",
    parse: parseDurationFlag,
    help: "wait so long in all, as in 2h, for a service that does not respond or asks for a pause",
  },
} as const satisfies OptionSpecs;

export const protestDocs = { help: "require protest documentation" } as const;

/** What is sent: any file but a private key, any table of text with a warning, or only what the assumed format takes. */
export const CHECK_MODES = ["off", "warn", "strict"] as const;

export type CheckMode = (typeof CHECK_MODES)[number];

/** Of each command that submits. @param onDuplicate what happens without the option */
export const submissionOptions = (onDuplicate: string) =>
  ({
    check: {
      value: "mode",
      choices: CHECK_MODES,
      help: "strict exits 5 for what the assumed format refuses; off sends any file but a private key",
      default: "warn",
    },
    jobIdPath: {
      value: "path",
      help: "path of the job id in the response, as in data.id or header:X-Job-Id",
      default: "the usual names",
    },
    contentKey: {
      conflicts: ["idempotencyKey"],
      help: "make the Idempotency-Key from seller, options and file, so that two machines make one job",
    },
    ...onDuplicateOption(onDuplicate),
  }) as const satisfies OptionSpecs;

/** The rf8Review outcomes that `--fail-on` can name, the milder one first. */
const FAILING_OUTCOMES = ["conditional", "declined"] as const;

const PASSING_OUTCOME = "clear";

export const failOn = {
  failOn: {
    value: "result",
    choices: [...FAILING_OUTCOMES, "rejected"],
    repeats: true,
    help: "exit 5 if the rf8Review outcome is this or worse, or if entries are rejected; may repeat",
  },
} as const satisfies OptionSpecs;

/** Without a wait, nobody would look at a report. */
export function requireWait(failOn: FailOn, isWaiting: boolean): void {
  if (failOn === undefined || isWaiting) return;
  throw usageError("missing_option", "--fail-on needs --wait: it judges the report of a job that has ended", {
    hint: "add --wait, or leave out --fail-on",
  });
}

export type FailOn = OptionValues<typeof failOn>["failOn"];

/** The failure that `--fail-on` makes of a report. */
export const checkReport = (report: unknown, failOn: FailOn = []): ClaimsError | undefined =>
  checkOutcome(report, failOn) ?? (failOn.includes("rejected") ? checkRejections(report) : undefined);

/** The name and the words of the outcome are assumed. A report without one of them must not pass as a clear one. */
function checkOutcome(report: unknown, failOn: NonNullable<FailOn>): ClaimsError | undefined {
  const limit = FAILING_OUTCOMES.find((each) => failOn.includes(each));
  if (limit === undefined) return undefined;
  const found = valueAt(report, "rf8Review.outcome");
  const word = String(found).toLowerCase();
  if (word === PASSING_OUTCOME) return undefined;
  const outcome = FAILING_OUTCOMES.find((each) => each === word);
  if (outcome === undefined) {
    const text = found === null ? "the report has no rf8Review.outcome" : `its word is ${quoteValue(found)}`;
    const message = `the rf8Review outcome is not known: ${text} (--fail-on ${limit})`;
    return rejectedError("outcome_unknown", message, {
      hint: "look at the report; this service names its outcomes in another way",
    });
  }
  if (FAILING_OUTCOMES.indexOf(outcome) < FAILING_OUTCOMES.indexOf(limit)) return undefined;
  return rejectedError(`outcome_${outcome}`, `the rf8Review outcome is ${outcome} (--fail-on ${limit})`, {
    hint: "the report lists the checks that did not pass",
  });
}

/** The names are assumed. A report without them must not pass as one without rejected entries. */
function checkRejections(report: unknown): ClaimsError | undefined {
  const rejected = valueAt(report, "totals.entriesRejected");
  const submitted = valueAt(report, "totals.entriesSubmitted");
  if (rejected === 0) return undefined;
  if (typeof rejected !== "number") {
    const message = "the report does not say how many entries are rejected (--fail-on rejected)";
    return rejectedError("rejections_unknown", message, {
      hint: "look at the report; this service names its rejected entries in another way",
    });
  }
  const total = typeof submitted === "number" ? ` of ${formatCount(submitted, "entry", "entries")}` : "";
  const message = `${formatThousands(rejected)}${total} ${rejected === 1 ? "is" : "are"} rejected (--fail-on rejected)`;
  return rejectedError("entries_rejected", message, {
    hint: "the report lists them, and `claims diligence check FILE --rejected-csv NEW_FILE` writes their rows",
  });
}
