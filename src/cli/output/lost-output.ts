import { Buffer } from "node:buffer";
import { ClaimsError, needsDecisionError } from "../../domain/errors.ts";
import { formatCount } from "../../domain/numbers.ts";
import type { Context, SentWrite } from "../context.ts";
import { saveResponse } from "../files/save-response.ts";
import type { AnyCommand } from "../framework/command.ts";
import type { Output } from "./output.ts";

/** Whether an output cannot be written. A closed stdout interrupts the command, too, but the user did not. */
export const isOutputLost = (context: Context, error: unknown): error is ClaimsError =>
  error instanceof ClaimsError && (error.kind !== "interrupted" || context.signal.reason === "EPIPE");

/**
 * The error for an output that is lost after writes were sent. A program that repeats most commands would write twice, so the
 * error is a decision (product.md §3, exit code 10).
 */
export async function toOutputLostError(
  context: Context,
  cause: ClaimsError,
  output: Output,
  { continues = false, waitsForJob = false }: Pick<AnyCommand, "continues" | "waitsForJob">,
): Promise<ClaimsError> {
  const problem = cause.kind === "interrupted" ? "stdout was closed" : cause.message;
  const record = output.kind === "record" ? output : null;
  const id = record?.id ?? null;
  const writes = describeSentWrites([...(context.sentWrites?.values() ?? [])], id);
  const body = record && toBytes(record.json);
  const saved = body?.length ? `; ${(await saveResponse(context, "write", body)).note}` : "";
  return needsDecisionError("output_lost", `${problem}; the service ${writes}${saved}`, {
    jobId: id && waitsForJob ? id : undefined,
    hint: continues ? RUN_AGAIN : DO_NOT_RUN_AGAIN,
    cause,
  });
}

const RUN_AGAIN = "run the same command again: it sends nothing twice, and prints the results";

const DO_NOT_RUN_AGAIN =
  "do not run the command again, which may write twice; `claims history` lists what this machine sent";

const toBytes = (json: Uint8Array | object): Uint8Array =>
  json instanceof Uint8Array ? json : Buffer.from(`${JSON.stringify(json, null, 2)}\n`);

const MAX_NAMED_JOBS = 5;

/** As in `accepted 7 writes (job-1, job-2, …)`. @param id of the record that the command was about to print */
function describeSentWrites(writes: readonly SentWrite[], id: string | null): string {
  const accepted = writes.filter(({ isAccepted }) => isAccepted);
  const possible = accepted.length === 0 ? "may have accepted" : "accepted or may have accepted";
  const verb = accepted.length === writes.length ? "accepted" : possible;
  if (writes.length === 1 && id) return `${verb} the request, with id ${id}`;
  const jobIds = writes.flatMap(({ jobId }) => jobId ?? []).slice(0, MAX_NAMED_JOBS);
  const more = writes.length > jobIds.length ? ", …" : "";
  const jobs = jobIds.length === 0 ? "" : ` (${jobIds.join(", ")}${more})`;
  return `${verb} ${formatCount(writes.length, "write")}${jobs}`;
}
