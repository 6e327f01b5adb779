import { EVENT } from "../../../src/contract/event.ts";
import type { JsonSchema } from "../../../src/contract/json-schema.ts";
import { checkMapping } from "../../../src/contract/mapping/check.ts";
import { invalidMappingError, requireMapping } from "../../../src/contract/mapping/parse.ts";
import { createTimeWriter, mapTimes } from "../../../src/contract/mapping/values.ts";
import { getContract } from "../../../src/contract/openapi.ts";
import { NO_CHOICES } from "./grease/choices.ts";
import { createServiceVariant } from "./grease/service-variant.ts";
import type { PlayedService } from "./played-service.ts";
import { createResponseWriter } from "./response-writer.ts";

/** A real service by its mapping (product.md §10). @throws ClaimsError `invalid_input` */
export function createMappedService(given: unknown): PlayedService {
  const mapping = requireMapping(given, "mapping");
  const [mistake] = checkMapping(mapping);
  if (mistake) throw invalidMappingError("mapping", mistake);
  const writeTime = createTimeWriter(mapping.times);
  const variant = createServiceVariant({
    choices: NO_CHOICES,
    variedDimensions: [],
    rewritePayload: (payload) => mapTimes(payload, EVENT.payload as JsonSchema, writeTime) as object,
  });
  return { mapping, givenMapping: mapping, variant, writer: createResponseWriter(mapping), getContract };
}
