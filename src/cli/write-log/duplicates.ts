import { categorizeState } from "../../domain/diligence/states.ts";
import { rejectedError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import type { OptionSpecs } from "../framework/options.ts";
import type { WriteDescription } from "./describe-write.ts";
import { isInFlight, type WriteRecord } from "./write-record.ts";

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

type Submission = Pick<WriteDescription, "content" | "file" | "fileSha256" | "seller">;

export type DuplicateAction =
  | { readonly kind: "submit"; readonly warning: string | null }
  /** Its job is the result. */
  | { readonly kind: "use"; readonly earlier: WriteRecord; readonly note: string }
  /** Another process is sending it. */
  | { readonly kind: "wait"; readonly note: string };

/**
 * Applies `--on-duplicate` to a submission: looks for an accepted one of the same file, unless its job is
 * known to have failed, and for one that another process is sending.
 * @param records the writes to the same service
 * @param key a submission with this idempotency key is not a duplicate
 * @throws ClaimsError `duplicate`
 */
export function applyOnDuplicate(
  context: Pick<Context, "processes" | "now">,
  onDuplicate: OnDuplicate,
  records: readonly WriteRecord[],
  submission: Submission,
  key?: string,
): DuplicateAction {
  const { content, file, fileSha256, seller } = submission;
  const similar =
    onDuplicate === "submit"
      ? []
      : records.filter(
          (record) =>
            record.fileSha256 === fileSha256 &&
            record.key !== key &&
            (isInFlight(record, context) || isAcceptedJob(record)),
        );
  const equal = similar.filter((record) => record.content === content);
  const earlier =
    equal.findLast(({ outcome }) => outcome === "accepted") ??
    equal.at(-1) ??
    similar.findLast((record) => record.seller !== seller);
  if (earlier === undefined) return { kind: "submit", warning: null };
  const { at, jobId, outcome, pid } = earlier;
  const isEqual = earlier.content === content;
  const isSent = outcome === "accepted";
  const details = [
    // Of two equal files of one run, the time says nothing.
    isSent && pid !== context.processes.own.pid && ` at ${at}`,
    isSent && (jobId === null ? " without a job id" : ` as job ${jobId}`),
    earlier.file !== file && `, from ${earlier.file}`,
    !isEqual && `, for the seller ${earlier.seller}`,
  ];
  const state = isSent ? "was already accepted" : `is being sent by another command (pid ${pid})`;
  const message = `${file} ${state}${details.filter(Boolean).join("")}`;
  if (onDuplicate === "skip" && isEqual && !isSent)
    return { kind: "wait", note: `${message}; waiting for it` };
  if (onDuplicate === "skip" && isEqual && jobId !== null)
    return { kind: "use", earlier, note: `${message}; using that job` };
  // A person must find the job of a submission that was accepted without an id (product.md §4, *Accepted*).
  if (onDuplicate === "fail" || (isEqual && isSent && (onDuplicate === "skip" || jobId === null))) {
    throw rejectedError("duplicate", `${message}; it was not sent`, {
      jobId: jobId ?? undefined,
      hint: isSent
        ? "use the earlier job, or submit the file again with --on-duplicate submit"
        : "run the command again when the other one has ended, or wait for it with --on-duplicate skip",
    });
  }
  return { kind: "submit", warning: `warning: ${message}; submitting it again` };
}

const isAcceptedJob = ({ outcome, state }: WriteRecord): boolean =>
  outcome === "accepted" && categorizeState(state ?? "") !== "failed";
