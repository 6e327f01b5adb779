import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Answer } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { jsonIn } from "../../answer.ts";
import { writeWhole } from "../../atomic-file.ts";
import type { Context } from "../../context.ts";
import { makeStateFolder, stateFolder } from "../../folders.ts";
import type { GlobalOptions } from "../../global-options.ts";
import type { RecordOutput } from "../../output/output.ts";

/** The submission was accepted and its id is not to be found: the answer is saved, so that nothing is lost (product.md §4). */
export const noJobId = async (
  context: Context,
  { body }: Answer,
  path = "any of the usual places",
): Promise<ClaimsError> =>
  new ClaimsError(
    "rejected",
    "no_job_id",
    `the service accepted the submission, but its answer has no job id at ${path}; ${await saved(context, body)}`,
    {
      hint: "name the field with --job-id-path, as in data.id; do not submit the file again before you have looked",
    },
  );

/**
 * The answer as it came, with that failure.
 *
 * @throws the failure alone, where JSON is asked for and the answer is none
 */
export async function withoutJobId(
  context: Context,
  { json, fields }: GlobalOptions,
  answer: Answer,
  path: string | undefined,
): Promise<RecordOutput> {
  const failure = await noJobId(context, answer, path);
  if ((json || fields) && jsonIn(answer) === undefined) throw failure;
  const { body } = answer;
  return {
    kind: "record",
    json: body,
    blocks: [{ kind: "paragraph", lines: body.toString("utf8").split("\n") }],
    failure,
  };
}

/** What became of the attempt to save it: failing there must not hide that the submission was accepted. */
async function saved(context: Context, body: Uint8Array): Promise<string> {
  const path = join(stateFolder(context), `submission-${randomUUID()}.answer`);
  try {
    await makeStateFolder(context);
    await writeWhole(path, [body], { mode: 0o600 });
    return `the answer is saved as ${path}`;
  } catch (error) {
    return `the answer could not be saved either (${(error as Error).message})`;
  }
}
