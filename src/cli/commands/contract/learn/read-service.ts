import type { ApiResponse } from "../../../../client/http/response.ts";
import { findJobId } from "../../../../client/job-id.ts";
import { buildRequest, type OperationInput } from "../../../../client/request.ts";
import type { createLearner } from "../../../../contract/observed/learner.ts";
import type { Operation } from "../../../../contract/operation.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { isRecord } from "../../../../domain/json.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";

/** No record has it: the read shows the form of an error. */
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/**
 * Reads what can be read without an id, then the records that those responses name, each once.
 *
 * @returns the error that ended the reading early
 */
export async function readService(
  context: Context,
  service: Service,
  learner: ReturnType<typeof createLearner>,
  job: string | undefined,
): Promise<ClaimsError | undefined> {
  const { client, operations, hashContract } = service;
  const read = async (operation: Operation, input: OperationInput = {}): Promise<unknown> => {
    const request = buildRequest(operation, input);
    const response = await client.sendWithoutCheck(request);
    const { method, path } = request;
    const body = response.body.toString("utf8");
    learner.add({
      method,
      path,
      status: response.status,
      headers: toPairs(response),
      body,
      at: context.now(),
    });
    return parseJson(body);
  };
  try {
    const contract = await read(operations.document.openapi);
    if (isRecord(contract) && "paths" in contract) learner.setServiceContractHash(hashContract(contract));
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
    if (jobId === null || jobId === "")
      printMessage(context, "no job is known: give --job to learn from one");
    else
      for (const operation of [
        operations.diligence.status,
        operations.diligence.report,
        operations.diligence.dataset,
      ])
        await read(operation, { params: { jobId } });
    return undefined;
  } catch (error) {
    if (error instanceof ClaimsError) return error;
    throw error;
  }
}

const toPairs = ({ headers }: ApiResponse): [name: string, value: string][] => Object.entries(headers);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The first record of a list, whatever holds it. */
function firstRecord(document: unknown): Record<string, unknown> | null {
  const lists = Array.isArray(document) ? [document] : isRecord(document) ? Object.values(document) : [];
  const records = lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter(isRecord);
  return records[0] ?? null;
}
