import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { WriteChoice } from "../../write-log/decide-write.ts";
import type { WriteDescription } from "../../write-log/describe-write.ts";
import { createKeyCheck } from "../../write-log/key-support.ts";
import type { LoggedWrites } from "../../write-log/logged-writes.ts";
import { performWrite } from "../../write-log/perform-write.ts";
import type { WriteResult } from "../../write-log/write-plan.ts";
import { checkSubmission } from "./check-submission.ts";
import type { CheckMode } from "./options.ts";
import { type SubmissionInput, sendSubmission } from "./submission.ts";

export interface SubmissionPolicy extends WriteChoice {
  readonly check?: CheckMode | undefined;
  /** Whether every warning about the file is printed. */
  readonly isVerbose?: boolean | undefined;
  /** Path of the job id in the response, instead of the usual names. */
  readonly jobIdPath?: string | undefined;
  readonly legacy?: boolean | undefined;
  /** Whether a new key is made from the submission, so that two machines have the same. */
  readonly contentKey?: boolean | undefined;
  readonly writes: LoggedWrites;
  confirm?(): Promise<void>;
  /** Asks whether to submit a duplicate. */
  askToRepeat?(question: string): Promise<boolean>;
  /** Whether the service keeps keys. Default: asks its contract. */
  isKeySupported?(): Promise<boolean>;
  isStopped?(): boolean;
  onProgress?(sentBytes: number): void;
  /** Called with the number of entries before `confirm`. */
  onEntries?(count: number): void;
}

/** Submits a file, unless it was submitted before or may have been. */
export async function submitFile(
  context: Context,
  service: Service,
  submission: SubmissionInput,
  write: WriteDescription,
  policy: SubmissionPolicy,
): Promise<WriteResult> {
  const { contentKey = false, jobIdPath, legacy, onDuplicate, onProgress, writes } = policy;
  const isKeyOfContent = contentKey && onDuplicate !== "submit";
  return performWrite(context, writes, {
    ...policy,
    write,
    newKey: isKeyOfContent ? write.content : undefined,
    isKeySupported: policy.isKeySupported ?? createKeyCheck(service, write.operation, legacy),
    check: () => checkSubmission(context, submission, policy),
    send: (idempotencyKey) =>
      sendSubmission(service, submission, { jobIdPath, legacy, idempotencyKey }, onProgress),
  });
}
