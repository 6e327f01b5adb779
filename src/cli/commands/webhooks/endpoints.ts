import type { ApiResponse } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import type { Service } from "../../connection/service.ts";
import { idOf, readItems, type ServiceRecord } from "../../records/paged-list.ts";

/** As messages name them. */
export const ENDPOINTS = "webhook endpoints";

/** @param limit how many a page is asked to have */
export const listEndpoints = (
  { client, operations }: Service,
  limit?: number | undefined,
): AsyncGenerator<ApiResponse> => client.list(operations.webhooks.endpoints, { query: { limit } });

/** The endpoint of that id. No route reads a single one (interface §4): the list is gone through until it comes. */
export async function findEndpoint(service: Service, id: string): Promise<ServiceRecord> {
  for await (const item of readItems(listEndpoints(service), ENDPOINTS)) if (idOf(item) === id) return item;
  throw new ClaimsError("not_found", "endpoint_not_found", `there is no endpoint ${id} for this credential`, {
    hint: "`claims webhooks list` shows those there are",
  });
}
