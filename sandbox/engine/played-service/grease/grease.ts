import { EVENT } from "../../../../src/contract/event.ts";
import type { GreaseDimension } from "../../../../src/contract/grease.ts";
import type { JsonSchema } from "../../../../src/contract/json-schema.ts";
import { createTimeWriter, mapTimes } from "../../../../src/contract/mapping/values.ts";
import { getContract } from "../../../../src/contract/openapi.ts";
import type { RandomSource } from "../../random.ts";
import type { PlayedService } from "../played-service.ts";
import { createResponseWriter } from "../response-writer.ts";
import { chooseVariants } from "./choices.ts";
import { generateMapping } from "./generate-mapping.ts";
import { createServiceVariant } from "./service-variant.ts";
import { createUnknownFields, NO_UNKNOWN_FIELDS } from "./unknown-fields.ts";
import { addOffset, createWireEffects } from "./wire-effects.ts";

/** The service that varies these dimensions by chance; without any, the sandbox's own. */
export function createGreasedService(
  dimensions: readonly GreaseDimension[],
  random: RandomSource,
): PlayedService {
  const choices = chooseVariants(dimensions, random);
  const unknownFields = dimensions.includes("unknownFields")
    ? createUnknownFields(random)
    : NO_UNKNOWN_FIELDS;
  const mapping = generateMapping(choices);
  const writeTime = choices.timestampFormat === "rfc3339" ? addOffset : createTimeWriter(mapping.times);
  const variant = createServiceVariant({
    choices,
    variedDimensions: dimensions,
    rewritePayload: (payload) =>
      unknownFields.addToRoot(mapTimes(payload, EVENT.payload as JsonSchema, writeTime) as object),
  });
  const isOwn = dimensions.length === 0;
  const writer = isOwn ? null : createResponseWriter(mapping, createWireEffects(variant, unknownFields));
  return { mapping: isOwn ? null : mapping, givenMapping: null, variant, writer, getContract };
}
