import { getContract } from "../../../src/contract/openapi.ts";
import { checkForm } from "../../../src/contract/service-form/check-form.ts";
import { findCodec } from "../../../src/contract/service-form/codecs.ts";
import { invalidFormError, requireServiceForm } from "../../../src/contract/service-form/parse-form.ts";
import { writeEvent } from "../../../src/contract/service-form/responses.ts";
import type { ServiceForm } from "../../../src/contract/service-form/service-form.ts";
import type { NotImitated } from "../../api/like.ts";
import { formatTime } from "../scheduler/clock.ts";
import { type GreaseChoices, NO_CHOICES } from "./grease/choices.ts";
import { createServiceVariant } from "./grease/service-variant.ts";
import type { PlayedService } from "./played-service.ts";
import { createResponseWriter } from "./response-writer.ts";

/** The service with the form of a file (product.md §10). @throws ClaimsError `invalid_input` */
export function createServiceLike(given: unknown): PlayedService {
  const form = requireServiceForm(given, "like");
  const [mistake] = checkForm(form);
  if (mistake) throw invalidFormError(`like: ${mistake.at}: ${mistake.message}`);
  const { evidence, deliveries: { timestamp, contentType } = {} } = form;
  const codec = findCodec(timestamp);
  const variant = createServiceVariant({
    ...(contentType !== undefined && { contentType }),
    ...(codec && { formatTimestamp: (at) => String(codec.write(formatTime(at))) }),
    choices: chooseDeliveryForm(form),
    variedDimensions: [],
    rewritePayload: (payload) => writeEvent(form, payload),
  });
  return {
    form,
    variant,
    writer: createResponseWriter(form),
    getContract,
    like: {
      observedAt: evidence?.lastAt ?? null,
      isStale: evidence !== undefined && evidence.contractHash !== getContract().hash,
      notImitated: listNotImitated(form),
    },
  };
}

/** What the service does and the sandbox does not: it has the names and the values of the contract there. */
const listNotImitated = ({ open = [], operations = {} }: ServiceForm): readonly NotImitated[] => [
  ...open,
  ...Object.entries(operations).flatMap(([subject, { extras, csv }]) =>
    extras || csv?.extras
      ? [
          {
            subject,
            seen: Object.keys({ ...extras, ...csv?.extras }).join(", "),
            reason: "examples: the contract has no such fields",
          },
        ]
      : [],
  ),
  {
    subject: "document.openapi",
    seen: "the service's own document",
    reason: "the sandbox publishes the contract in its own form",
  },
];

const chooseDeliveryForm = ({ deliveries = {} }: ServiceForm): GreaseChoices => ({
  ...NO_CHOICES,
  payloadForm: deliveries.payload ?? null,
  headerCase: deliveries.headerCase ?? null,
});
