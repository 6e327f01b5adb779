import type { TObject, TSchema } from "typebox";
import EXAMPLES from "./examples.json" with { type: "json" };
import type { Behaviour, SourcedBasis } from "./labels.ts";
import { claim, claimStatus } from "./operations/claims.ts";
import { client } from "./operations/clients.ts";
import { dataset, job, report } from "./operations/diligence.ts";
import { enrollment } from "./operations/litigation.ts";
import { notification } from "./operations/notifications.ts";
import { oauthError, tokenResponse } from "./operations/oauth.ts";
import { offer } from "./operations/offers.ts";
import { organization } from "./operations/organizations.ts";
import { dashboard, ledgerEntry } from "./operations/revenue.ts";
import { scan, scanSummary } from "./operations/scans.ts";
import { createdEndpoint, delivery, endpoint, testEvent } from "./operations/webhooks.ts";
import { PROBLEMS, type ProblemCode, problem } from "./problems.ts";

export type JsonObject = Record<string, unknown>;

/** The named schemas of the document; the rows use the same objects. */
export const COMPONENTS: Readonly<Record<string, TSchema>> = {
  ...capitalizeNames({ endpoint, createdEndpoint, delivery, testEvent, job, report, dataset, client }),
  ...capitalizeNames({ claim, claimStatus, offer, enrollment, ledgerEntry, dashboard, scan, scanSummary }),
  ...capitalizeNames({ organization, notification, problem }),
  TokenAnswer: tokenResponse,
  OAuthError: oauthError,
};

function capitalizeNames(schemas: Readonly<Record<string, TSchema>>): Record<string, TSchema> {
  const entries = Object.entries(schemas);
  return Object.fromEntries(
    entries.map(([name, schema]) => [name.charAt(0).toUpperCase() + name.slice(1), schema]),
  );
}

export const labelExtensions = ({ basis, source }: SourcedBasis): JsonObject => ({
  "x-basis": basis,
  "x-source": source,
});

export const ruleExtensions = (behaviours: readonly Behaviour[]): JsonObject => ({
  "x-behaviours": behaviours.map(({ rule, ...label }) => ({ rule, ...labelExtensions(label) })),
});

const findComponentName = (schema: unknown): string | undefined =>
  Object.entries(COMPONENTS).find(([, component]) => component === schema)?.[0];

/** A reference where the schema is a component, and the schema with references inside otherwise. */
export function toReference(schema: unknown): unknown {
  const name = findComponentName(schema);
  return name ? { $ref: `#/components/schemas/${name}` } : withReferences(schema);
}

function withReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toReference);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, toReference(value)]));
}

export const buildComponentSchemas = (): JsonObject =>
  Object.fromEntries(Object.entries(COMPONENTS).map(([name, schema]) => [name, withReferences(schema)]));

/** The examples of a media type; none if no example of it was recorded. */
export const referToExample = (name: string): JsonObject =>
  Object.hasOwn(buildComponentExamples(), name)
    ? { examples: { default: { $ref: `#/components/examples/${name}` } } }
    : {};

/** The example of a request. An alias may fill in fields, and take the id of the path in the body. */
export function exampleOfRequest(id: string, { properties }: TObject): JsonObject {
  const { params, request } = Object(EXAMPLES[id as keyof typeof EXAMPLES]);
  const names = Object.keys(properties);
  if (Object.keys(request).every((name) => names.includes(name)) && !names.some((name) => params?.[name]))
    return referToExample(`${id}.request`);
  const fields = Object.entries({ ...params, ...request }).filter(([name]) => names.includes(name));
  return { examples: { default: { value: Object.fromEntries(fields) } } };
}

let componentExamples: JsonObject | undefined;

/** `clients.create.request`, `clients.create.response` and so on, as a sandbox responded, and each problem by its code. */
export function buildComponentExamples(): JsonObject {
  if (componentExamples) return componentExamples;
  const bodies = Object.entries(EXAMPLES).flatMap(([id, example]) =>
    Object.entries(example).flatMap(([part, value]) =>
      part === "params" ? [] : [[`${id}.${part}`, { value }] as const],
    ),
  );
  const problems = (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => {
    const { status, title } = PROBLEMS[code];
    const value = { type: "about:blank", title, status, detail: title, code, requestId: "req_example" };
    return [`problem.${code}`, { value }] as const;
  });
  componentExamples = Object.fromEntries([...bodies, ...problems]);
  return componentExamples;
}
