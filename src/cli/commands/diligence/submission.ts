import type { ApiResponse } from "../../../client/http/response.ts";
import { findJobId } from "../../../client/job-id.ts";
import type { OperationInput } from "../../../client/request.ts";
import { toSent } from "../../../contract/observed/sent-form.ts";
import { type ClaimsError, rejectedError } from "../../../domain/errors.ts";
import { tryParseJson } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { hashFile, type InputFile } from "../../files/input-file.ts";
import { saveResponse } from "../../files/save-response.ts";
import { hashContent, type WriteDescription } from "../../write-log/describe-write.ts";
import { SUBMIT_OPERATION } from "../../write-log/events.ts";
import type { EntryFile } from "./mapped-file.ts";

/** A file of entries with its metadata. */
export interface SubmissionInput {
  readonly file: InputFile;
  /** See `EntryFile`. */
  readonly mapped?: EntryFile["mapped"];
  /** The path on the command line. */
  readonly source: string;
  readonly sellerName: string;
  readonly protestDocs: boolean;
}

const formFields = ({ sellerName, protestDocs }: SubmissionInput) => ({
  seller_name: sellerName,
  requires_protest_documentation: String(protestDocs),
});

/** @param jobIdPath path of the job id in the response, instead of the usual names */
export async function describeSubmission(
  submission: SubmissionInput,
  jobIdPath?: string,
): Promise<WriteDescription> {
  const { file, mapped, sellerName } = submission;
  const original = mapped?.original ?? file;
  const fileSha256 = await hashFile(original);
  const sentSha256 = mapped ? await hashFile(file) : undefined;
  const fields = { ...formFields(submission), file: sentSha256 ?? fileSha256 };
  return {
    operation: SUBMIT_OPERATION,
    content: await hashContent({ operation: SUBMIT_OPERATION, fields }),
    seller: sellerName,
    file: file.displayName,
    fileSha256,
    path: original.path ?? undefined,
    sentSha256,
    mapping: mapped?.mapping,
    bytes: file.size,
    jobIdOf: (response) => readJobId(response, jobIdPath),
  };
}

/** A path is that of the response as the service sent it. */
export function readJobId(response: ApiResponse, jobIdPath?: string): string | null {
  const document = tryParseJson(response);
  const named = jobIdPath === undefined ? document : toSent(document);
  return findJobId(named, response.headers.location, jobIdPath);
}

export const sendSubmission = (
  { client, operations }: Service,
  submission: SubmissionInput,
  options: Pick<OperationInput, "legacy" | "idempotencyKey">,
  onProgress?: (sentBytes: number) => void,
): Promise<ApiResponse> => {
  const { name, size, stream: open } = submission.file;
  const file = { name, source: submission.source, contentType: "text/csv", size, open };
  const multipart = { fields: formFields(submission), file, onProgress };
  return client.send(operations.diligence.submit, { ...options, multipart });
};

/** The service accepted the submission, but its job id is unknown. Saves the response (product.md §4). */
export const noJobIdError = async (
  context: Context,
  { body }: ApiResponse,
  path = "any of the usual places",
): Promise<ClaimsError> =>
  rejectedError(
    "no_job_id",
    `the service accepted the submission, but its response has no job id at ${path}; ${await saveResponse(context, "submission", body)}`,
    {
      hint: "name the field with --job-id-path, as in data.id; check the service before you submit the file again",
    },
  );
