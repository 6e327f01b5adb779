import type { EndpointModel, EndpointsModel } from "../../../src/pages/endpoints.tsx";
import type { SandboxEndpoint } from "../../api/webhooks.ts";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { toEndpoint } from "../../engine/webhooks/records.ts";
import { foldFailures, listEndpointAttempts, listLabelledDeliveries } from "../../library/list-deliveries.ts";
import { type EndpointRow, listAllEndpoints } from "../../store/endpoints.ts";

/** Deliveries whose attempts count for a rate: fewer for each endpoint of a list. */
const MAX_COUNTED = { list: 50, page: 500 };

const MAX_DELIVERIES = 50;

/** More than a partner may have. */
const MAX_ENDPOINTS = 200;

export const readEndpoints = (engine: Engine): Promise<EndpointsModel> =>
  engine.idle.whenSettled(() =>
    redactModel({
      endpoints: listAllEndpoints(engine.store)
        .slice(0, MAX_ENDPOINTS)
        .map((row) => ({
          endpoint: toSandboxEndpoint(row),
          attempts: readAttempts(engine, row.id, MAX_COUNTED.list),
        })),
    }),
  );

export const readEndpoint = (engine: Engine, id: string): Promise<EndpointModel> =>
  engine.idle.whenSettled(() => toEndpointModel(engine, engine.webhooks.endpoint(id)));

export function toEndpointModel(engine: Engine, row: EndpointRow): EndpointModel {
  const page = { before: null, limit: MAX_DELIVERIES };
  return redactModel({
    endpoint: toSandboxEndpoint(row),
    attempts: readAttempts(engine, row.id, MAX_COUNTED.page),
    lines: foldFailures(listLabelledDeliveries(engine, { endpointId: row.id }, "", page)),
  });
}

const toSandboxEndpoint = (row: EndpointRow): SandboxEndpoint => ({
  ...toEndpoint(row),
  partner: row.partner,
});

const readAttempts = (engine: Engine, id: string, maxDeliveries: number) =>
  listEndpointAttempts(engine, id, maxDeliveries).map(({ at, errorCode }) => ({
    at,
    isSuccess: errorCode === null,
  }));
