import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Answer } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { stateFolder } from "../../folders.ts";
import { makeStateFolder } from "../../locator.ts";
import { writeWhole } from "../../output/atomic-file.ts";
import type { RecordOutput } from "../../output/output.ts";

/** The submission was accepted and its id is not to be found: show everything, save it, lose nothing (product.md §4). */
export async function withoutJobId(
  context: Context,
  { body }: Answer,
  path = "any of the usual places",
): Promise<RecordOutput> {
  return {
    kind: "record",
    json: body,
    blocks: [{ kind: "paragraph", lines: body.toString("utf8").split("\n") }],
    failure: new ClaimsError(
      "rejected",
      "no_job_id",
      `the service accepted the submission, but its answer has no job id at ${path}; ${await saved(context, body)}`,
      {
        hint: "name the field with --job-id-path, as in data.id; do not submit the file again before you have looked",
      },
    ),
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
