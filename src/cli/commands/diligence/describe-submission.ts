import { hashContent, type WriteDescription } from "../../write-log/describe-write.ts";
import { SUBMIT_OPERATION } from "../../write-log/events.ts";
import type { SubmissionInput } from "./assess-file.ts";

type FormInput = Pick<SubmissionInput, "protestDocs" | "sellerName">;

export const formFields = ({ sellerName, protestDocs }: FormInput) => ({
  seller_name: sellerName,
  requires_protest_documentation: String(protestDocs),
});

export const hashSubmission = (input: FormInput, fileSha256: string): string =>
  hashContent({ operation: SUBMIT_OPERATION, fields: { ...formFields(input), file: fileSha256 } });

export async function describeSubmission(submission: SubmissionInput): Promise<WriteDescription> {
  const { file, sellerName } = submission;
  const fileSha256 = await file.hash();
  return {
    operation: SUBMIT_OPERATION,
    content: hashSubmission(submission, fileSha256),
    seller: sellerName,
    file: file.displayName,
    fileSha256,
    path: file.path ?? undefined,
    bytes: file.size,
    jobId: null,
  };
}
