import { DryRun, type DryRunRequest } from "../../../../client/dry-run.ts";
import { findJobId } from "../../../../client/job-id.ts";
import type { OperationInput } from "../../../../client/request.ts";
import type { Operation } from "../../../../contract/operation.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { isRecord, parseJsonText } from "../../../../domain/json.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";

/** No record has it: the read shows the form of an error. */
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** How the reading of a service ended. */
export interface ReadResult {
  /** The error that ended it early. */
  readonly failure: ClaimsError | undefined;
  /** What a dry run would have requested. */
  readonly requests: readonly DryRunRequest[];
}

/**
 * Reads what can be read without an id, then the records that those responses name, each once. The client gives every
 * response to the learner.
 */
export async function readService(
  context: Context,
  { client, operations }: Pick<Service, "client" | "operations">,
  job: string | undefined,
): Promise<ReadResult> {
  const requests: DryRunRequest[] = [];
  const read = async (operation: Operation, input: OperationInput = {}): Promise<unknown> => {
    try {
      const { body } = await client.send(operation, input);
      return parseJsonText(body.toString("utf8"));
    } catch (error) {
      if (error instanceof DryRun) requests.push(error.request);
      else if (!isAnswer(error)) throw error;
      return undefined;
    }
  };
  try {
    await read(operations.document.openapi);
    await read(operations.diligence.status, { params: { jobId: UNKNOWN_ID } });
    for (const list of [
      ...[operations.clients.list, operations.webhooks.endpoints, operations.webhooks.deliveries],
      ...[operations.offers.list, operations.revenue.ledger, operations.revenue.dashboard],
    ])
      await read(list);
    const claims = await read(operations.claims.list);
    const claim = firstRecord(claims);
    const claimId = claim && typeof claim.id === "string" ? claim.id : null;
    if (claimId !== null) await read(operations.claims.status, { query: { claimId } });
    const jobId = job ?? (claim && "jobId" in claim ? findJobId({ jobId: claim.jobId }) : null);
    if (requests.length > 0 && claim === null)
      printMessage(context, `then the status of the first claim${job ? "" : ", and three reads of its job"}`);
    else if (jobId === null || jobId === "")
      printMessage(context, "no job is known: give --job to learn from one");
    if (jobId)
      for (const operation of [
        operations.diligence.status,
        operations.diligence.report,
        operations.diligence.dataset,
      ])
        await read(operation, { params: { jobId } });
    return { failure: undefined, requests };
  } catch (error) {
    if (error instanceof ClaimsError) return { failure: error, requests };
    throw error;
  }
}

/** Statuses that every other request would get, too. */
const FINAL_STATUSES: readonly number[] = [401, 429, 503];

/** Whether the service responded to a request, so that the others can show more. */
const isAnswer = (error: unknown): boolean =>
  error instanceof ClaimsError && error.status !== undefined && !FINAL_STATUSES.includes(error.status);

/** The first record of a list, whatever holds it. */
function firstRecord(document: unknown): Record<string, unknown> | null {
  const lists = Array.isArray(document) ? [document] : isRecord(document) ? Object.values(document) : [];
  const records = lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter(isRecord);
  return records[0] ?? null;
}
