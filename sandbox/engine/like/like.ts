import { getContract } from "../../../src/contract/openapi.ts";
import { checkForm } from "../../../src/contract/service-form/check-form.ts";
import { describeRows } from "../../../src/contract/service-form/describe-rows.ts";
import { writeEvent } from "../../../src/contract/service-form/events.ts";
import { invalidFormError, requireServiceForm } from "../../../src/contract/service-form/parse-form.ts";
import type { ServiceForm } from "../../../src/contract/service-form/service-form.ts";
import type { NotImitated } from "../../api/like.ts";
import { type GreaseChoices, NO_CHOICES } from "../grease/choices.ts";
import { createServiceVariant } from "../grease/service-variant.ts";
import type { PlayedService } from "../played-service.ts";
import { createResponseWriter, type ResponseWriter } from "../response-writer.ts";

/** The service with the form of a file (product.md §10). @throws ClaimsError `invalid_input` */
export function createServiceLike(given: unknown): PlayedService {
  const form = requireServiceForm(given, "like");
  const [mistake] = checkForm(form);
  if (mistake) throw invalidFormError(`like: ${mistake.at}: ${mistake.message}`);
  const used = new Set<string>();
  const variant = createServiceVariant({
    choices: chooseDeliveryForm(form),
    variedDimensions: [],
    rewritePayload: (payload) => {
      used.add("event");
      return writeEvent(form, payload);
    },
  });
  const { evidence } = form;
  return {
    form,
    variant,
    writer: noteUses(createResponseWriter(form), used),
    getContract,
    like: {
      observedAt: evidence?.lastAt ?? null,
      isStale: evidence !== undefined && evidence.contractHash !== getContract().hash,
      notImitated: listNotImitated(form),
      get applied() {
        return describeRows(form).filter(({ operation }) => used.has(operation));
      },
    },
  };
}

/** What the service does and the sandbox does not: it has the names and the values of the contract there. */
const listNotImitated = ({ open = [] }: ServiceForm): readonly NotImitated[] => [
  ...open,
  {
    subject: "document.openapi",
    seen: "the service's own document",
    reason: "the sandbox publishes the contract in its own form",
  },
];

/** Notes what a sandbox has responded with, to tell which differences of the service its callers have met. */
const noteUses = (writer: ResponseWriter, used: Set<string>): ResponseWriter => ({
  ...writer,
  writeResponse(operation, ...rest) {
    used.add(operation.id);
    return writer.writeResponse(operation, ...rest);
  },
  writeError(...problem) {
    used.add("*");
    return writer.writeError(...problem);
  },
});

const chooseDeliveryForm = ({ deliveries = {} }: ServiceForm): GreaseChoices => ({
  ...NO_CHOICES,
  payloadForm: deliveries.payload ?? null,
  headerCase: deliveries.headerCase ?? null,
  timestampFormat: deliveries.timestamp ?? null,
});
