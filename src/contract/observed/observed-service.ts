import Type, { type Static } from "typebox";
import { Compile, type Validator } from "typebox/schema";
import { usageError } from "../../domain/errors.ts";
import { isRecord, quoteValue } from "../../domain/json.ts";
import { count, dateTime, nullable, strictObject } from "../schemas.ts";
import { ASSUMPTION_STATUSES } from "./statuses.ts";

const FORMAT = "claims-observed-service";
const VERSION = 1;

const words = () => Type.Array(Type.String({ maxLength: 60 }), { maxItems: 50 });
const name = () => Type.String({ maxLength: 100 });
const place = () => Type.String({ maxLength: 300 });

/** Where something was seen, and how often. */
const evidence = {
  operation: name(),
  status: Type.Integer({ minimum: 0, maximum: 599 }),
  count: count(),
  lastAt: dateTime(),
  requestId: nullable(Type.String({ maxLength: 128 })),
};

const LIST_ORDERS = ["newest-first", "oldest-first", "unordered"] as const;
const ERROR_FORMS = ["problem", "error", "message", "errors", "text", "html", "other"] as const;
const PAYLOAD_FORMS = ["compact", "sorted", "reversed", "indented", "spaced", "newline", "other"] as const;
const HEADER_CASES = ["documented", "lower", "upper", "mixed"] as const;
const TIMESTAMP_FORMS = ["seconds", "milliseconds", "rfc3339", "other"] as const;

const list = nullable(
  strictObject({ items: nullable(name()), order: nullable(Type.Enum([...LIST_ORDERS])) }),
);

/** What is known of a success, and of a field. */
const successForm = { template: place(), headers: words(), wrapper: nullable(name()), list };
const fieldForm = { place: place(), field: name(), name: nullable(name()), forms: words(), words: words() };
const { operation, status } = evidence;

const unknownField = strictObject({ place: place(), name: name(), forms: words() });

/** What the service's own OpenAPI document states, in the form of what is seen in responses. */
const statedForms = strictObject({
  openapi: Type.String({ maxLength: 20, description: "its version of OpenAPI" }),
  routes: Type.Array(place(), { description: "those of the contract that it has: GET /v1/clients" }),
  responses: Type.Array(
    strictObject({ operation, status, ...successForm, type: Type.String({ maxLength: 100 }) }),
  ),
  fields: Type.Array(strictObject({ ...fieldForm, operation, status }), {
    description: "also of requests and queries: clients.create request, clients.list query",
  }),
  unknownFields: Type.Array(unknownField),
  errors: Type.Array(strictObject({ operation, status, form: Type.Enum([...ERROR_FORMS]) })),
});

const assumption = strictObject({
  operation: name(),
  kind: name(),
  subject: Type.String(),
  status: Type.Enum([...ASSUMPTION_STATUSES]),
  seen: Type.Array(Type.String()),
});

/**
 * What was seen of a real service: names, types and forms, and no values but the names of states (product.md §10). Its
 * assumptions follow from the rest.
 */
export const observedService = strictObject({
  format: Type.Enum([FORMAT]),
  version: Type.Enum([VERSION]),
  contractHash: Type.String({
    pattern: "^[0-9a-f]{64}$",
    description: "the contract that it was compared with",
  }),
  serviceContractHash: nullable(Type.String({ pattern: "^[0-9a-f]{64}$" })),
  firstAt: dateTime(),
  lastAt: dateTime(),
  isPartial: Type.Optional(
    Type.Boolean({ description: "whether the run ended early; the same command continues it" }),
  ),
  responses: Type.Array(
    strictObject({
      ...evidence,
      ...successForm,
      type: Type.String({ maxLength: 100, description: "the content type" }),
      paging: nullable(strictObject({ cursor: name(), limit: nullable(name()), isNumber: Type.Boolean() })),
    }),
  ),
  fields: Type.Array(strictObject({ ...fieldForm, ...evidence })),
  unknownFields: Type.Array(unknownField),
  otherFields: Type.Array(strictObject({ place: place(), count: count() })),
  completedStates: Type.Array(Type.String({ maxLength: 60 }), {
    maxItems: 50,
    description: "the states of jobs that had a report with rf8Review, but for partial",
  }),
  errors: Type.Array(strictObject({ form: Type.Enum([...ERROR_FORMS]), ...evidence })),
  deliveries: Type.Array(
    strictObject({
      payload: Type.Enum([...PAYLOAD_FORMS]),
      headerCase: Type.Enum([...HEADER_CASES]),
      timestamp: Type.Enum([...TIMESTAMP_FORMS]),
      count: count(),
    }),
  ),
  document: Type.Optional(statedForms),
  findings: Type.Optional(
    Type.Array(
      strictObject({
        operation: name(),
        kind: name(),
        subject: Type.String(),
        statement: Type.String({ description: "of the interface" }),
        seen: Type.Array(Type.String()),
      }),
      { description: "where the service contradicts the interface, which stays as it is" },
    ),
  ),
  assumptions: Type.Array(assumption),
});

let validator: Validator | undefined;

export type ObservedService = Static<typeof observedService>;
/** What was seen; the assumptions follow from it. */
export type Facts = Pick<
  ObservedService,
  "responses" | "fields" | "unknownFields" | "otherFields" | "completedStates" | "errors" | "deliveries"
>;
export type StatedForms = Static<typeof statedForms>;
export type ErrorForm = (typeof ERROR_FORMS)[number];
export type PayloadForm = (typeof PAYLOAD_FORMS)[number];
export type HeaderCase = (typeof HEADER_CASES)[number];
export type TimestampForm = (typeof TIMESTAMP_FORMS)[number];

/**
 * Reads an observed service.
 *
 * @param shownAs the file as the user wrote it
 * @throws ClaimsError `invalid_observed_service`
 */
export function parseObservedService(text: string, shownAs: string): ObservedService {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalidServiceError(`${shownAs} is not JSON`, cause);
  }
  return requireObservedService(value, shownAs);
}

/**
 * Refuses what is not an observed service: other JSON, another version, and a file that was edited into something else.
 *
 * @throws ClaimsError `invalid_observed_service`
 */
export function requireObservedService(value: unknown, shownAs: string): ObservedService {
  if (!isRecord(value) || value.format !== FORMAT)
    throw invalidServiceError(`${shownAs} is not what \`claims contract learn\` writes`);
  if (value.version !== VERSION)
    throw invalidServiceError(
      `${shownAs} has version ${quoteValue(value.version)}; this program reads version ${VERSION}`,
    );
  // Every command of a service like an observed one comes here, and Errors takes ten times as long.
  validator ??= Compile(observedService);
  if (validator.Check(value)) return value as ObservedService;
  const [, violations] = validator.Errors(value);
  const [first] = violations as readonly { instancePath: string; message: string }[];
  throw invalidServiceError(
    `${shownAs}: ${first?.instancePath || "the document"} ${first?.message ?? "is not valid"}`,
  );
}

export const invalidServiceError = (message: string, cause?: unknown) =>
  usageError("invalid_observed_service", message, {
    hint: "make it again: claims contract learn --out FILE",
    cause,
  });
