import { requireMapping } from "../../../src/contract/mapping/check.ts";
import { createTimeWriter } from "../../../src/contract/mapping/values.ts";
import { getContract } from "../../../src/contract/openapi.ts";
import { createDeliveryWriter } from "./delivery-writer.ts";
import { NO_VARIANTS } from "./grease/variants.ts";
import { createResponseWriter } from "./response-writer.ts";
import type { SimulatedService } from "./simulated-service.ts";

/** A real service by its mapping (product.md §10). @throws ClaimsError `invalid_input` */
export function createMappedService(given: unknown): SimulatedService {
  const mapping = requireMapping(given, "mapping");
  const common = { variants: NO_VARIANTS, applied: new Set<string>() };
  const deliveryWriter = createDeliveryWriter({ ...common, writeTime: createTimeWriter(mapping.times) });
  const responseWriter = createResponseWriter(mapping, null);
  return { mapping, givenMapping: mapping, ...common, deliveryWriter, responseWriter, getContract };
}
