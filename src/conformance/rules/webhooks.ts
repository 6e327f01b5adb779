import { ENVIRONMENT_SCOPES } from "../../domain/webhooks/endpoints.ts";
import { EVENT_TYPES } from "../../domain/webhooks/event-types.ts";
import { fieldRule, requestRule } from "../judge.ts";
import { advice, documented, type Rule } from "../rule.ts";
import { isExecuted, isOperation, readJson } from "../traffic.ts";

export const WEBHOOK_RULES: readonly Rule[] = [
  fieldRule({
    id: "webhooks.registration",
    ...documented("webhooks.create"),
    title: "registers an endpoint with its four fields",
    fix: "send label, url, subscribedEvents, environmentScope",
    operation: "webhooks.create",
    isFault: (_, code) => code === "required",
  }),
  /** Names outside the published four may exist (interface §6): a pattern, and what is no name, is wrong. */
  fieldRule({
    id: "webhooks.event_names",
    ...documented("events.exact"),
    title: "registers exact event names",
    fix: `register each name as it is published: ${EVENT_TYPES.join(", ")}`,
    operation: "webhooks.create",
    isFault: (field) => field.startsWith("subscribedEvents/"),
  }),
  fieldRule({
    id: "webhooks.scope",
    ...documented("endpoint.environmentScope"),
    title: "registers an endpoint for sandbox, production or all",
    fix: `send environmentScope as one of ${ENVIRONMENT_SCOPES.join(", ")}`,
    operation: "webhooks.create",
    isFault: (field, code) => field === "environmentScope" && code !== "required",
  }),
  requestRule({
    id: "webhooks.aligned_scope",
    ...advice("events.scope"),
    title: "registers an endpoint for the environment of its credential",
    fix: "send the environmentScope in which the receiver runs, or all",
    subjects: (requests) =>
      requests.filter((request) => isOperation(request, "webhooks.create") && isExecuted(request)),
    findFault: (request) => {
      const { environmentScope: given } = Object(readJson(request.requestBody));
      const own = request.caller?.environment;
      return given === "all" || given === own
        ? null
        : `a registration with a credential of ${own} has environmentScope = ${JSON.stringify(given)}`;
    },
  }),
  fieldRule({
    id: "webhooks.test_type",
    ...documented("test.eventType"),
    title: "requests test events of the four published types",
    fix: `send eventType as one of ${EVENT_TYPES.join(", ")}`,
    operation: "webhooks.test",
    isFault: (field) => field === "eventType",
  }),
  fieldRule({
    id: "webhooks.test_environment",
    ...documented("test.environment"),
    title: "names the environment of a test event",
    fix: 'send "environment": "sandbox"',
    operation: "webhooks.test",
    isFault: (field, code) => field === "environment" && code === "required",
  }),
  requestRule({
    id: "webhooks.test_credential",
    ...documented("test.credential"),
    title: "requests test events with a sandbox credential",
    fix: "send a credential of the sandbox to /v1/sandbox/webhooks/test",
    subjects: (requests) =>
      requests.filter((request) => isOperation(request, "webhooks.test") && request.caller !== null),
    findFault: ({ caller }) =>
      caller?.environment === "sandbox" ? null : "a test event is requested with a credential of production",
  }),
];
