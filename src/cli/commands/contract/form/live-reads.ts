import type { ObservedResponse } from "../../../../client/http/observe-body.ts";
import type { OperationInput } from "../../../../client/request.ts";
import type { Operation } from "../../../../contract/operations/operation.ts";
import { findContractResponse } from "../../../../contract/service-form/contract-records.ts";
import { parseDocument } from "../../../../contract/service-form/dataset-form.ts";
import { UNKNOWN_ID } from "../../../../contract/service-form/learn/learn-errors.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { isRecord } from "../../../../domain/json.ts";
import type { Connection } from "../../../connection/connection.ts";
import { tryParseJson } from "../../../connection/json-response.ts";
import { connect, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";

/** One read of a service: as it was sent, and in the form of the contract. */
export interface LiveRead {
  readonly operation: Operation;
  readonly isError: boolean;
  readonly status: number;
  /** Undefined if it is not JSON. */
  readonly sent: unknown;
  readonly text: string;
  /** The records in the form of the contract; null if they are not where the form says. */
  readonly records: readonly unknown[] | null;
}

export interface LiveService {
  readonly service: Service;
  read(operation: Operation, input?: OperationInput): Promise<LiveRead | null>;
}

export async function openLive(context: Context, connection: Connection, like: string): Promise<LiveService> {
  let last: ObservedResponse | undefined;
  const service = await connect(
    context,
    { ...connection, like },
    {
      onResponse(_, response) {
        last = response;
      },
    },
  );
  return {
    service,
    async read(operation, input = {}) {
      last = undefined;
      let document: unknown;
      let isError = false;
      try {
        document = tryParseJson(await service.client.send(operation, input));
      } catch (error) {
        // A refusal is a response, too.
        if (!(error instanceof ClaimsError) || error.status === undefined) throw error;
        isError = true;
      }
      const response = last as ObservedResponse | undefined;
      if (!response) return null;
      const text = response.body?.toString("utf8") ?? "";
      const sent = parseDocument(operation, response.headers["content-type"], text);
      const { data } = isRecord(document) ? document : {};
      const { isPage } = findContractResponse(operation);
      const records = isPage ? (Array.isArray(data) ? data : null) : isRecord(document) ? [document] : null;
      return { operation, isError, status: response.status, sent, text, records };
    },
  };
}

/** The reads that need no id, then those of a claim and of a job. */
export async function* readAll({ service, read }: LiveService, jobId: string | undefined) {
  const { claims, clients, diligence, offers, revenue, webhooks } = service.operations;
  const lists: readonly Operation[] = [
    ...[clients.list, webhooks.endpoints, webhooks.deliveries, claims.list],
    ...[offers.list, revenue.ledger, revenue.dashboard],
  ];
  let claimId: unknown;
  for (const operation of lists) {
    const found = await read(operation);
    if (operation.id === claims.list.id) claimId = (found?.records?.[0] as { id?: unknown } | undefined)?.id;
    if (found) yield found;
  }
  const others: (readonly [Operation, OperationInput])[] = [
    [diligence.status, { params: { jobId: UNKNOWN_ID } }],
    ...(typeof claimId === "string" ? [[claims.status, { query: { claimId } }] as const] : []),
    ...(jobId === undefined
      ? []
      : [diligence.status, diligence.report, diligence.dataset].map(
          (operation) => [operation, { params: { jobId } }] as const,
        )),
  ];
  for (const [operation, input] of others) {
    const found = await read(operation, input);
    if (found) yield found;
  }
}
