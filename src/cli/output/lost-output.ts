import { Buffer } from "node:buffer";
import { ClaimsError, needsDecisionError } from "../../domain/errors.ts";
import { formatCount } from "../../domain/numbers.ts";
import type { Context } from "../context.ts";
import { saveResponse } from "../files/save-response.ts";
import type { AnyCommand } from "../framework/command.ts";
import type { Output } from "./output.ts";

/** A program that repeats the command would write twice, so the error is a decision (product.md §3, exit code 10). */
export async function describeLostOutput(
  context: Context,
  error: unknown,
  output: Output,
  { waitsForJob = false }: Pick<AnyCommand, "waitsForJob">,
): Promise<unknown> {
  const jobIds = [...(context.sentWrites?.values() ?? [])];
  const count = jobIds.length;
  if (!(error instanceof ClaimsError) || count === 0) return error;
  if (error.kind === "interrupted" && context.signal.reason !== "EPIPE") return error;
  const problem = error.kind === "interrupted" ? "stdout was closed" : error.message;
  const id = output.kind === "record" ? output.id : null;
  const jobs = jobIds.filter((jobId) => jobId !== null).slice(0, MAX_NAMED_JOBS);
  const named = jobs.length === 0 ? "" : ` (${jobs.join(", ")}${count > jobs.length ? ", …" : ""})`;
  const what = count === 1 && id ? `the request, with id ${id}` : `${formatCount(count, "write")}${named}`;
  const json = output.kind === "record" ? output.json : Buffer.alloc(0);
  const body = json instanceof Uint8Array ? json : Buffer.from(`${JSON.stringify(json, null, 2)}\n`);
  const saved = body.length > 0 ? `; ${await saveResponse(context, "write", body)}` : "";
  return needsDecisionError("output_lost", `${problem}; the service accepted ${what}${saved}`, {
    jobId: id && waitsForJob ? id : undefined,
    hint: "do not run the command again, which may write twice; `claims history` lists what this machine sent",
    cause: error,
  });
}

const MAX_NAMED_JOBS = 5;
