import type { Operation } from "../../contract/operations/operation.ts";
import { describeDisabled, describeFailing, GONE, isFailing } from "../../domain/webhooks/endpoints.ts";
import type { Service } from "../connection/service.ts";
import { handleFailure } from "../framework/handle-failure.ts";
import { matchesFilter } from "./list-reader.ts";
import type { ServiceRecord } from "./paged-list.ts";

/** A sentence for each disabled endpoint: since when, why, and who must act. */
export async function explainDisabled(service: Service, endpoints: readonly ServiceRecord[]) {
  // Each may take a request, and the list shows the status of all.
  const disabled = endpoints.filter(({ status }) => status === "disabled").slice(0, 5);
  const explained = await Promise.all(disabled.map((endpoint) => findReason(service, endpoint)));
  return explained.map(describeDisabled);
}

/** What keeps deliveries from the receivers of endpoints, in sentences; null if the service does not list endpoints. */
export async function explainEndpoints(service: Service, isMeant = (_: ServiceRecord) => true) {
  const listed = await tryList(service, service.operations.webhooks.endpoints);
  if (listed === null) return null;
  const endpoints = listed.filter(isMeant);
  const failing = endpoints.filter(isFailing).slice(0, 5).map(describeFailing);
  return { disabled: await explainDisabled(service, endpoints), failing };
}

/** The reason that the service gives, or a 410 as the last answer of the receiver, with its time. */
async function findReason(service: Service, endpoint: ServiceRecord): Promise<ServiceRecord> {
  const { id: endpointId, disabledAt, disabledReason } = endpoint;
  if (typeof disabledReason === "string" || typeof endpointId !== "string") return endpoint;
  const deliveries = await tryList(service, service.operations.webhooks.deliveries, { endpointId });
  const [last] = (deliveries ?? [])
    // The service may ignore the filter.
    .filter((delivery) => matchesFilter({ endpointId })(delivery) && attemptedAt(delivery) > 0)
    .toSorted((one, other) => attemptedAt(other) - attemptedAt(one));
  if (last?.lastResponseStatus !== GONE) return endpoint;
  return { ...endpoint, disabledReason: "receiver_gone", disabledAt: disabledAt ?? last.lastAttemptAt };
}

const attemptedAt = ({ lastAttemptAt }: ServiceRecord): number => Date.parse(String(lastAttemptAt)) || 0;

/** The first page; null instead of a failure, for what only completes a view. */
export async function tryList({ client }: Service, operation: Operation, query: Record<string, string> = {}) {
  const readFirst = async (): Promise<readonly ServiceRecord[] | null> => {
    for await (const { located } of client.list(operation, { query }))
      return located?.items.map(({ value }) => value) ?? null;
    return null;
  };
  return handleFailure(readFirst(), () => null);
}
