import { describeBody } from "../../client/http/describe-body.ts";
import type { ApiResponse } from "../../client/http/response.ts";
import { FOREIGN_KINDS, readWriteMeaning, type WriteMeaning } from "../../client/write-meaning.ts";
import { type ClaimsError, needsDecisionError } from "../../domain/errors.ts";
import { tryParseJson } from "../connection/json-response.ts";
import { findOtherEnvironment } from "../connection/record-environment.ts";
import { hintToResolve } from "./decide-write.ts";
import type { Intent } from "./events.ts";

/** A successful response to a write. A submission says itself what its response means. */
export interface WriteResponse extends ApiResponse {
  readonly jobId?: string | null;
  readonly meaning?: WriteMeaning;
  /** Why the job id cannot be read. */
  readonly idProblem?: string;
}

/** Why a write with a successful response needs a decision by a person (product.md §4, *Accepted*, *Environment*). */
export function findDoubt(
  { operation, environment, key }: Pick<Intent, "operation" | "environment" | "key">,
  response: WriteResponse,
): ClaimsError | null {
  const { meaning = readWriteMeaning(response), jobId, idProblem, status } = response;
  const write = { jobId: jobId ?? null, key, operation };
  const details = { status, requestId: response.headers["x-request-id"], jobId: jobId ?? undefined };
  if (meaning === "unrecognized") {
    const { kind, text } = describeBody(response);
    const came = `${text} came${FOREIGN_KINDS.includes(kind) ? ", not a response of the claims service" : ""}`;
    const message = `${operation}: ${came}; the outcome is unknown, and it will not be sent again`;
    return needsDecisionError("response_unrecognized", message, {
      ...details,
      hint: `check the base URL; ${hintToResolve({ ...write, code: "response_unrecognized" })}`,
    });
  }
  if (meaning === "accepted_without_id")
    return needsDecisionError("job_id_unknown", `the service accepted the submission, but ${idProblem}`, {
      ...details,
      hint: `${hintToResolve({ ...write, code: "job_id_unknown" })}; or \`claims mapping learn --submit FILE\` learns the place of the id (once: --job-id-path)`,
    });
  const other = findOtherEnvironment(operation, tryParseJson(response), environment);
  if (other === undefined) return null;
  const place = `${jobId ? ` as job ${jobId}` : ""} in ${other}, but this command is for ${environment}`;
  const message = `${operation}: the service accepted the write${place}`;
  return needsDecisionError("accepted_elsewhere", message, {
    ...details,
    hint: hintToResolve({ ...write, code: "accepted_elsewhere" }),
  });
}
