import { categorizeState } from "../../domain/diligence/states.ts";
import { rejectedError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import type { OptionSpecs } from "../framework/options.ts";
import { printMessage } from "../output/stderr.ts";
import type { WriteDescription } from "./describe-write.ts";
import { hasUnknownOutcome, type WriteRecord } from "./write-record.ts";

const ON_DUPLICATE = ["warn", "skip", "fail", "submit"] as const;

export type OnDuplicate = (typeof ON_DUPLICATE)[number];

/** @param standard the value without the option */
export const onDuplicateOption = (standard: OnDuplicate) =>
  ({
    onDuplicate: {
      value: "action",
      choices: ON_DUPLICATE,
      help: `for a file that was accepted before: skip uses the earlier job, fail exits 5 (${standard})`,
    },
  }) as const satisfies OptionSpecs;

/** An earlier submission of the same file. */
export interface EarlierSubmission extends Pick<WriteRecord, "file" | "seller" | "jobId"> {
  /** Undefined if the same command made it. */
  readonly at?: string;
  /** Whether it has the same metadata too. Otherwise, it is for another seller, or the file was mapped in another way. */
  readonly isEqual: boolean;
}

type Submission = Pick<WriteDescription, "content" | "file" | "fileSha256" | "seller" | "sentSha256">;

/**
 * Finds the accepted submission of the same file, before any mapping, unless its job is known to have failed.
 *
 * @param records the writes to the same service
 * @param key a submission with this idempotency key is not a duplicate
 */
export function findDuplicate(
  records: readonly WriteRecord[],
  { content, fileSha256, seller, sentSha256 }: Submission,
  key?: string,
): EarlierSubmission | null {
  const accepted = records.filter(
    (record) =>
      record.fileSha256 === fileSha256 &&
      record.key !== key &&
      record.outcome === "accepted" &&
      categorizeState(record.state ?? "") !== "failed",
  );
  const equal = accepted.findLast((record) => record.content === content);
  if (equal) return { ...equal, isEqual: true };
  const other = accepted.findLast((record) => record.seller !== seller || record.sentSha256 !== sentSha256);
  return other ? { ...other, isEqual: false } : null;
}

/**
 * Applies `--on-duplicate` to a submission, and returns the id of the job to use instead of it, or null to submit it.
 *
 * @throws ClaimsError `duplicate`
 */
export function resolveDuplicate(
  context: Context,
  onDuplicate: OnDuplicate,
  { file, seller: ownSeller }: Submission,
  earlier: EarlierSubmission | null,
): string | null {
  if (earlier === null || onDuplicate === "submit") return null;
  const { at, isEqual, jobId, seller } = earlier;
  const details = [
    at && ` at ${at}`,
    jobId === null ? " without a job id" : ` as job ${jobId}`,
    earlier.file !== file && `, from ${earlier.file}`,
    !isEqual && (seller === ownSeller ? ", with another mapping" : `, for the seller ${seller}`),
  ];
  const message = `${file} was already accepted${details.filter(Boolean).join("")}`;
  if (onDuplicate === "skip" && isEqual && jobId !== null) {
    printMessage(context, `${message}; using that job`);
    return jobId;
  }
  // A person must find the job of a submission that was accepted without an id (product.md §4, *Accepted*).
  if (onDuplicate === "fail" || (isEqual && (onDuplicate === "skip" || jobId === null))) {
    throw rejectedError("duplicate", `${message}; it was not sent`, {
      jobId: jobId ?? undefined,
      hint: "use the earlier job, or submit the file again with --on-duplicate submit",
    });
  }
  printMessage(context, `warning: ${message}; submitting it again`);
  return null;
}

/** Warns if another process submits the same file at this moment. */
export function warnAboutSubmissionInFlight(
  context: Context,
  records: readonly WriteRecord[],
  { content, file }: Submission,
): void {
  const inFlight = records.find(
    (record) =>
      record.content === content && record.outcome === "open" && !hasUnknownOutcome(record, context),
  );
  if (inFlight)
    printMessage(context, `warning: process ${inFlight.pid} is submitting the same ${file} at this moment`);
}
