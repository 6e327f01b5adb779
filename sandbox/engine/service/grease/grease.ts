import type { GreaseDimension } from "../../../../src/contract/grease.ts";
import type { Mapping } from "../../../../src/contract/mapping/mapping.ts";
import { createTimeWriter } from "../../../../src/contract/mapping/values.ts";
import { getContract } from "../../../../src/contract/openapi.ts";
import type { RandomSource } from "../../random.ts";
import { createDeliveryEncoder } from "../delivery-encoder.ts";
import { createResponseEncoder } from "../response-encoder.ts";
import type { SimulatedService } from "../simulated-service.ts";
import { addOffset, createResponseVariation } from "./response-variation.ts";
import { createUnknownFields, NO_UNKNOWN_FIELDS } from "./unknown-fields.ts";
import { chooseVariants, findVariantLines } from "./variants.ts";

/** The service that varies these dimensions by chance; without any, the sandbox's own. */
export function createGreasedService(
  dimensions: readonly GreaseDimension[],
  random: RandomSource,
): SimulatedService {
  const variants = chooseVariants(dimensions, random);
  const unknownFields = dimensions.includes("unknownFields")
    ? createUnknownFields(random)
    : NO_UNKNOWN_FIELDS;
  const mapping: Mapping = Object.assign({}, ...dimensions.map((each) => findVariantLines(each, variants)));
  const usedVariants = new Set<string>();
  const deliveryEncoder = createDeliveryEncoder({
    variants,
    usedVariants,
    writeTime: variants.timestampFormat === "rfc3339" ? addOffset : createTimeWriter(mapping.times),
    addUnknownFields: unknownFields.addToRoot,
  });
  const common = { givenMapping: null, variants, usedVariants, deliveryEncoder, getContract };
  if (dimensions.length === 0) return { ...common, mapping: null, responseEncoder: null };
  const responseEncoder = createResponseEncoder(mapping, createResponseVariation(variants, unknownFields));
  return { ...common, mapping, responseEncoder };
}
