import { Buffer } from "node:buffer";
import { ClaimsError, rephraseError, unreachableError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { saveResponse } from "../files/save-response.ts";
import type { AnyCommand } from "../framework/command.ts";
import type { RecordOutput } from "./output.ts";

/** The service has executed the write, so the error names the record and the file that keeps the response. */
export async function describeLostOutput(
  context: Context,
  error: unknown,
  { id, json }: RecordOutput,
  { waitsForJob = false }: Pick<AnyCommand, "waitsForJob">,
): Promise<unknown> {
  if (!(error instanceof ClaimsError)) return error;
  const body = json instanceof Uint8Array ? json : Buffer.from(`${JSON.stringify(json, null, 2)}\n`);
  const saved = body.length > 0 ? `; ${await saveResponse(context, "write", body)}` : "";
  const message = `${error.message}; the service accepted the request${id ? `, with id ${id}` : ""}${saved}`;
  const details = {
    ...(id && waitsForJob && { jobId: id }),
    hint: "do not run the command again, which may write twice; `claims history` lists what this machine sent",
  };
  return error.kind === "unreachable"
    ? unreachableError("output_lost", message, { ...details, cause: error })
    : rephraseError(error, { message, ...details });
}
