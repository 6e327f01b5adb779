import type { GreaseDimension } from "../../../src/contract/grease.ts";
import { getContract } from "../../../src/contract/openapi.ts";
import type { RandomSource } from "../random.ts";
import type { ServiceForm } from "../service-form.ts";
import { chooseVariants } from "./choices.ts";
import { formatRecordTime } from "./formats.ts";
import { createResponseGrease } from "./response-grease.ts";
import { createServiceVariant } from "./service-variant.ts";
import { createUnknownFields, NO_UNKNOWN_FIELDS } from "./unknown-fields.ts";

/** The service that varies these dimensions by chance; without any, the sandbox's own. */
export function createGreasedForm(dimensions: readonly GreaseDimension[], random: RandomSource): ServiceForm {
  const choices = chooseVariants(dimensions, random);
  const unknownFields = dimensions.includes("unknownFields")
    ? createUnknownFields(random)
    : NO_UNKNOWN_FIELDS;
  const variant = createServiceVariant({
    choices,
    variedDimensions: dimensions,
    rewritePayload: (payload) => {
      const createdAt = formatRecordTime(payload.createdAt, choices.timestampFormat);
      return unknownFields.addToRoot({ ...payload, createdAt });
    },
  });
  const rewriter = dimensions.length === 0 ? null : createResponseGrease(variant, unknownFields);
  return { variant, rewriter, requestNames: null, getContract, like: null };
}
