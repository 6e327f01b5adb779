import { isRecord } from "../../domain/json.ts";
import { ENVIRONMENT_SCOPES } from "../../domain/webhooks/endpoints.ts";
import { EVENT_TYPES, isEventType } from "../../domain/webhooks/event-types.ts";
import { requestRule } from "../judge.ts";
import { advice, documented, type Rule } from "../rule.ts";
import { isExecuted, isOperation, readJson } from "../traffic.ts";
import type { LoggedRequest } from "../trial.ts";

const readFields = ({ requestBody }: LoggedRequest): Readonly<Record<string, unknown>> | null => {
  const json = readJson(requestBody);
  return isRecord(json) ? json : null;
};

const listRegistrations = (requests: readonly LoggedRequest[]) =>
  requests.filter((request) => isOperation(request, "webhooks.create") && readFields(request) !== null);

const REGISTRATION_FIELDS = ["label", "url", "subscribedEvents", "environmentScope"];

/** Names outside the published four may exist (interface §6): only a pattern, or a misspelling of one of the four, is wrong. */
function isInexact(name: unknown): boolean {
  if (typeof name !== "string" || isEventType(name)) return false;
  const normalized = name
    .trim()
    .toLowerCase()
    .replace(/[^a-z*]+/g, ".");
  return name.includes("*") || EVENT_TYPES.some((type) => type === normalized);
}

const listTestEvents = (requests: readonly LoggedRequest[]) =>
  requests.filter((request) => isOperation(request, "webhooks.test"));

export const WEBHOOK_RULES: readonly Rule[] = [
  requestRule({
    id: "webhooks.registration",
    ...documented("webhooks.create"),
    title: "registers an endpoint with its four fields",
    fix: `send ${REGISTRATION_FIELDS.join(", ")}`,
    subjects: listRegistrations,
    findFault: (request) => {
      const fields = readFields(request) ?? {};
      const missing = REGISTRATION_FIELDS.filter((name) => !Object.hasOwn(fields, name));
      return missing.length === 0 ? null : `a registration lacks ${missing.join(", ")}`;
    },
  }),
  requestRule({
    id: "webhooks.event_names",
    ...documented("events.exact"),
    title: "registers exact event names",
    fix: `register each name as it is published: ${EVENT_TYPES.join(", ")}`,
    subjects: (requests) =>
      listRegistrations(requests).filter((request) => Array.isArray(readFields(request)?.subscribedEvents)),
    findFault: (request) => {
      const names = readFields(request)?.subscribedEvents as readonly unknown[];
      const wrong = names.filter(isInexact);
      return wrong.length === 0
        ? null
        : `a registration subscribes to ${wrong.map((name) => JSON.stringify(name)).join(", ")}`;
    },
  }),
  requestRule({
    id: "webhooks.scope",
    ...documented("endpoint.environmentScope"),
    title: "registers an endpoint for sandbox, production or all",
    fix: `send environmentScope as one of ${ENVIRONMENT_SCOPES.join(", ")}`,
    subjects: (requests) =>
      listRegistrations(requests).filter((request) => readFields(request)?.environmentScope !== undefined),
    findFault: (request) => {
      const given = readFields(request)?.environmentScope;
      const isKnown = ENVIRONMENT_SCOPES.some((each) => each === given);
      return isKnown ? null : `a registration has environmentScope = ${JSON.stringify(given)}`;
    },
  }),
  requestRule({
    id: "webhooks.aligned_scope",
    ...advice("events.scope"),
    title: "registers an endpoint for the environment of its credential",
    fix: "send the environmentScope in which the receiver runs, or all",
    subjects: (requests) => listRegistrations(requests).filter(isExecuted),
    findFault: (request) => {
      const given = readFields(request)?.environmentScope;
      const own = request.caller?.environment;
      return given === "all" || given === own
        ? null
        : `a registration with a credential of ${own} has environmentScope = ${JSON.stringify(given)}`;
    },
  }),
  requestRule({
    id: "webhooks.test_type",
    ...documented("test.eventType"),
    title: "requests test events of the four published types",
    fix: `send eventType as one of ${EVENT_TYPES.join(", ")}`,
    subjects: (requests) => listTestEvents(requests).filter((request) => readFields(request) !== null),
    findFault: (request) => {
      const type = readFields(request)?.eventType;
      if (EVENT_TYPES.some((each) => each === type)) return null;
      return type === undefined
        ? "a test event has no type"
        : `a test event has the type ${JSON.stringify(type)}`;
    },
  }),
  requestRule({
    id: "webhooks.test_environment",
    ...documented("test.environment"),
    title: "names the environment of a test event",
    fix: 'send "environment": "sandbox"',
    subjects: (requests) => listTestEvents(requests).filter((request) => readFields(request) !== null),
    findFault: (request) =>
      typeof readFields(request)?.environment === "string"
        ? null
        : "a test event does not name its environment",
  }),
  requestRule({
    id: "webhooks.test_credential",
    ...documented("test.credential"),
    title: "requests test events with a sandbox credential",
    fix: "send a credential of the sandbox to /v1/sandbox/webhooks/test",
    subjects: (requests) => listTestEvents(requests).filter(({ caller }) => caller !== null),
    findFault: ({ caller }) =>
      caller?.environment === "sandbox" ? null : "a test event is requested with a credential of production",
  }),
];
