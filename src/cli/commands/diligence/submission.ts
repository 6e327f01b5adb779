import type { ApiResponse } from "../../../client/client.ts";
import { findJobId } from "../../../client/job-id.ts";
import { tryParseJson } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { InputFile } from "../../files/input-file.ts";
import type { WriteDescription } from "../../write-log/describe-write.ts";
import { hashContent } from "../../write-log/describe-write.ts";
import { SUBMIT_OPERATION } from "../../write-log/events.ts";

/** A file of entries and what is said of it. */
export interface SubmissionInput {
  readonly file: InputFile;
  /** How the command line names the file. */
  readonly source: string;
  readonly sellerName: string;
  readonly protestDocs: boolean;
}

const formFields = ({ sellerName, protestDocs }: Omit<SubmissionInput, "file" | "source">) => ({
  seller_name: sellerName,
  requires_protest_documentation: String(protestDocs),
});

/**
 * A submission as the journal keeps it.
 *
 * @param jobIdPath where the answer names the job, if not in one of the usual places
 */
export async function toWrite(submission: SubmissionInput, jobIdPath?: string): Promise<WriteDescription> {
  const { file, sellerName } = submission;
  return {
    operation: SUBMIT_OPERATION,
    content: await hashContent(
      { operation: SUBMIT_OPERATION, fields: formFields(submission) },
      file.chunks(),
    ),
    seller: sellerName,
    file: file.displayName,
    bytes: file.size,
    jobIdOf: (answer) => readJobId(answer, jobIdPath),
  };
}

/** The id may also be in Location, whatever the body is. */
export const readJobId = (answer: ApiResponse, jobIdPath?: string): string | null =>
  findJobId(tryParseJson(answer), answer.headers.location, jobIdPath);

/** Sends the file, anew for every attempt that is allowed. */
export const sendSubmission = (
  { client, operations }: Service,
  { file, source, ...metadata }: SubmissionInput,
  how: {
    readonly legacy: boolean | undefined;
    readonly idempotencyKey: string;
    readonly onProgress?: (sent: number) => void;
  },
): Promise<ApiResponse> =>
  client.send(operations.diligence.submit, {
    legacy: how.legacy,
    idempotencyKey: how.idempotencyKey,
    multipart: {
      fields: formFields(metadata),
      file: {
        name: file.name,
        source,
        contentType: "text/csv",
        size: file.size,
        open: file.stream,
      },
      onProgress: how.onProgress,
    },
  });
