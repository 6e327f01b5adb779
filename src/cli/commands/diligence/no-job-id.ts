import type { ApiResponse } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { tryParseJson } from "../../connection/json-response.ts";
import type { Context } from "../../context.ts";
import { saveResponse } from "../../files/save-response.ts";
import type { GlobalOptions } from "../../framework/options.ts";
import type { RecordOutput } from "../../output/output.ts";

/** The submission was accepted and its id is not to be found: the response is saved, so that nothing is lost (product.md §4). */
export const noJobIdError = async (
  context: Context,
  { body }: ApiResponse,
  path = "any of the usual places",
): Promise<ClaimsError> =>
  new ClaimsError(
    "rejected",
    "no_job_id",
    `the service accepted the submission, but its response has no job id at ${path}; ${await saveResponse(context, "submission", body)}`,
    {
      hint: "name the field with --job-id-path, as in data.id; do not submit the file again before you have looked",
    },
  );

/**
 * The answer as it came, with that failure.
 *
 * @throws the failure alone, where JSON is asked for and the answer is none
 */
export async function renderWithoutJobId(
  context: Context,
  { json, fields }: GlobalOptions,
  answer: ApiResponse,
  path: string | undefined,
): Promise<RecordOutput> {
  const failure = await noJobIdError(context, answer, path);
  if ((json || fields) && tryParseJson(answer) === undefined) throw failure;
  const { body } = answer;
  return {
    kind: "record",
    json: body,
    blocks: [{ kind: "paragraph", lines: body.toString("utf8").split("\n") }],
    failure,
  };
}
