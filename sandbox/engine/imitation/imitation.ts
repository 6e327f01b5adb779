import { EVENT } from "../../../src/contract/event.ts";
import type { PublishedContract } from "../../../src/contract/hash.ts";
import type { FieldSchema } from "../../../src/contract/observed/align.ts";
import { createObservedForms } from "../../../src/contract/observed/observed-forms.ts";
import {
  invalidServiceError,
  type ObservedService,
  requireObservedService,
} from "../../../src/contract/observed/observed-service.ts";
import { findUnknownName } from "../../../src/contract/observed/unknown-names.ts";
import { getContract } from "../../../src/contract/openapi.ts";
import type { GreaseChoices } from "../grease/choices.ts";
import { createServiceVariant } from "../grease/service-variant.ts";
import type { ServiceForm } from "../service-form.ts";
import { createAppliedDifferences } from "./applied-differences.ts";
import { buildImitatedContract } from "./contract-imitation.ts";
import { createDocumentRewriter } from "./document-rewriter.ts";
import { listNotImitated } from "./not-imitated.ts";
import { createRequestNames } from "./request-names.ts";
import { createResponseImitation } from "./response-imitation.ts";

/**
 * The form of an observed service (product.md §10).
 *
 * @throws ClaimsError `invalid_observed_service`
 */
export function createObservedForm(given: unknown): ServiceForm {
  const service = requireObservedService(given, "like");
  const isStale = service.contractHash !== getContract().hash;
  const unknown = isStale ? null : findUnknownName(service);
  if (unknown !== null) throw invalidServiceError(`like: ${unknown}`);
  const forms = createObservedForms(service);
  const rewriter = createDocumentRewriter(forms);
  const notImitated = listNotImitated(service, forms);
  const applied = createAppliedDifferences(service, notImitated);
  const requestNames = createRequestNames(service, forms);
  let contract: PublishedContract | undefined;
  const variant = createServiceVariant({
    choices: chooseDeliveryForm(service),
    variedDimensions: [],
    rewritePayload: (payload) => {
      applied.noteEvent();
      return rewriter.rewrite(payload, EVENT.payload as FieldSchema, EVENT.id, EVENT.id) as object;
    },
  });
  return {
    variant,
    rewriter: applied.follow(createResponseImitation(forms, rewriter, requestNames)),
    requestNames,
    getContract: () => {
      contract ??= buildImitatedContract(service, forms, requestNames.toObserved);
      return contract;
    },
    like: {
      observedAt: service.lastAt,
      isStale,
      notImitated,
      get applied() {
        return applied.list();
      },
    },
  };
}

type SeenDelivery = ObservedService["deliveries"][number];

/** The most frequent form of deliveries; the sandbox's own where nothing was seen, or a form that it does not have. */
function chooseDeliveryForm({ deliveries }: ObservedService): GreaseChoices {
  const choose = <Name extends "payload" | "headerCase" | "timestamp">(
    name: Name,
    none: SeenDelivery[Name],
  ): SeenDelivery[Name] => deliveries.toSorted((one, other) => other.count - one.count)[0]?.[name] ?? none;
  const payload = choose("payload", "compact");
  const headerCase = choose("headerCase", "documented");
  const timestamp = choose("timestamp", "seconds");
  return {
    jobIdField: null,
    stateName: null,
    unknownFields: null,
    listOrder: null,
    listEnvelope: null,
    paging: null,
    errorShape: null,
    successStatus: null,
    payloadForm: payload === "compact" || payload === "other" ? null : payload,
    headerCase: headerCase === "documented" ? null : headerCase,
    timestampFormat: timestamp === "other" ? null : timestamp,
  };
}
