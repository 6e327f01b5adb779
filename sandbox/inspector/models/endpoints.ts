import type { EndpointModel, EndpointsModel } from "../../../src/pages/endpoints.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { toSandboxEndpoint } from "../../library/webhooks.ts";
import { listAttemptResults } from "../../store/attempts.ts";
import { listLatestDeliveries } from "../../store/deliveries.ts";
import { type EndpointRow, listAllEndpoints } from "../../store/endpoints.ts";
import { foldFailures, toDeliveryLines } from "./deliveries.ts";

/** Deliveries whose attempts count for a rate: fewer for each endpoint of a list. */
const MAX_COUNTED = { list: 50, page: 500 };

const MAX_DELIVERIES = 50;

/** More than a partner may have. */
const MAX_ENDPOINTS = 200;

export const readEndpoints = (engine: Engine): EndpointsModel =>
  redactModel({
    endpoints: listAllEndpoints(engine.store)
      .slice(0, MAX_ENDPOINTS)
      .map((row) => ({
        endpoint: toSandboxEndpoint(row),
        attempts: readAttempts(engine, row.id, MAX_COUNTED.list),
      })),
  });

export function readEndpoint(engine: Engine, row: EndpointRow): EndpointModel {
  const page = { before: null, limit: MAX_DELIVERIES };
  const deliveries = listLatestDeliveries(engine.store, { endpointId: row.id }, page);
  return redactModel({
    endpoint: toSandboxEndpoint(row),
    attempts: readAttempts(engine, row.id, MAX_COUNTED.page),
    lines: foldFailures(toDeliveryLines(engine, deliveries)),
  });
}

const readAttempts = ({ store }: Engine, id: string, maxDeliveries: number) =>
  listAttemptResults(store, id, maxDeliveries).map(({ at, errorCode }) => ({
    at,
    isSuccess: errorCode === null,
  }));
