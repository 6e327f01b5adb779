import { assessService } from "../../src/contract/observed/assess.ts";
import type { ObservedService } from "../../src/contract/observed/observed-service.ts";
import { getContract } from "../../src/contract/openapi.ts";

type Field = ObservedService["fields"][number];
type Response = ObservedService["responses"][number];

const AT = "2026-11-20T00:00:00.000Z";
const evidence = { status: 200, count: 3, lastAt: AT, requestId: null };

/** A field as it was seen in an operation. */
export const seenField = (
  field: Pick<Field, "operation" | "place" | "field" | "name"> & Partial<Field>,
): Field => ({ ...evidence, forms: [], words: [], ...field });

/** A response as it was seen. */
export const seenResponse = (
  response: Pick<Response, "operation" | "template"> & Partial<Response>,
): Response => ({
  ...{ ...evidence, type: "application/json", headers: [], wrapper: null, list: null, paging: null },
  ...response,
});

/** An observed service of which nothing was seen but this. */
export function observedService(seen: Partial<ObservedService>): ObservedService {
  const facts = {
    ...{ responses: [], fields: [], unknownFields: [], otherFields: [], completedStates: [] },
    ...{ errors: [], deliveries: [] },
  };
  return {
    ...{ format: "claims-observed-service", version: 1, contractHash: getContract().hash },
    ...{ serviceContractHash: null, firstAt: AT, lastAt: AT, ...facts, ...seen },
    ...assessService({ ...facts, ...seen }),
  };
}
