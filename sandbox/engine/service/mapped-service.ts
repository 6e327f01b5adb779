import { requireMapping } from "../../../src/contract/mapping/check.ts";
import { createTimeWriter } from "../../../src/contract/mapping/values.ts";
import { getContract } from "../../../src/contract/openapi.ts";
import { createDeliveryEncoder } from "./delivery-encoder.ts";
import { NO_VARIANTS } from "./grease/variants.ts";
import { createResponseEncoder } from "./response-encoder.ts";
import type { SimulatedService } from "./simulated-service.ts";

/** A real service by its mapping (product.md §10). @throws ClaimsError `invalid_input` */
export function createMappedService(given: unknown): SimulatedService {
  const mapping = requireMapping(given, "mapping");
  const common = { variants: NO_VARIANTS, usedVariants: new Set<string>() };
  const deliveryEncoder = createDeliveryEncoder({ ...common, writeTime: createTimeWriter(mapping.times) });
  const responseEncoder = createResponseEncoder(mapping, null);
  return { mapping, givenMapping: mapping, ...common, deliveryEncoder, responseEncoder, getContract };
}
