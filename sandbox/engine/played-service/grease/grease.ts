import type { GreaseDimension } from "../../../../src/contract/grease.ts";
import { getContract } from "../../../../src/contract/openapi.ts";
import { writeEvent } from "../../../../src/contract/service-form/responses.ts";
import type { RandomSource } from "../../random.ts";
import type { PlayedService } from "../played-service.ts";
import { createResponseWriter } from "../response-writer.ts";
import { chooseVariants } from "./choices.ts";
import { generateForm } from "./generate-form.ts";
import { createServiceVariant } from "./service-variant.ts";
import { createUnknownFields, NO_UNKNOWN_FIELDS } from "./unknown-fields.ts";
import { createWireEffects } from "./wire-effects.ts";

/** The service that varies these dimensions by chance; without any, the sandbox's own. */
export function createGreasedService(
  dimensions: readonly GreaseDimension[],
  random: RandomSource,
): PlayedService {
  const choices = chooseVariants(dimensions, random);
  const unknownFields = dimensions.includes("unknownFields")
    ? createUnknownFields(random)
    : NO_UNKNOWN_FIELDS;
  const form = generateForm(choices);
  const variant = createServiceVariant({
    choices,
    variedDimensions: dimensions,
    rewritePayload: (payload) => unknownFields.addToRoot(writeEvent(form, payload)),
  });
  const isOwn = dimensions.length === 0;
  const writer = isOwn ? null : createResponseWriter(form, createWireEffects(variant, unknownFields));
  return { form: isOwn ? null : form, variant, writer, getContract, like: null };
}
