import * as Type from "typebox";
import { conformanceReport, conformanceRules } from "../../conformance/report-document.ts";
import { report } from "../../contract/operations/diligence.ts";
import {
  closedObject,
  count,
  date,
  dateTime,
  environment,
  mapOf,
  nullable,
  type ReadonlyStatic,
} from "../../contract/schemas.ts";
import { each } from "../../domain/each.ts";
import { CAPABILITIES_SCHEMA } from "./capabilities.ts";
import { DILIGENCE_DOCUMENTS } from "./diligence.ts";
import { SANDBOX_DOCUMENTS } from "./sandbox.ts";
import { listOf, oneOf } from "./shapes.ts";
import { WEBHOOK_DOCUMENTS } from "./webhooks.ts";

const differences = listOf(each(Type.String, "operation", "location", "effect", "message"));

const CONTRACT_DOCUMENTS = {
  ContractHash: closedObject({ ...each(Type.String, "hash", "from"), etag: nullable(Type.String()) }),
  ContractPin: closedObject({ ...each(Type.String, "baseUrl", "hash", "file"), pinnedAt: dateTime() }),
  ContractCheck: closedObject({
    baseUrl: Type.String(),
    live: Type.String({ description: "hash" }),
    etag: nullable(Type.String()),
    bundled: Type.String({ description: "hash of the contract of this version" }),
    expected: nullable(Type.String({ description: "of --hash" })),
    pinned: nullable(closedObject({ hash: Type.String(), pinnedAt: dateTime() })),
    fromBundled: differences,
    sincePin: nullable(differences),
  }),
  ContractDifferences: differences,
  Assumptions: listOf(each(Type.String, "operation", "kind", "subject", "source")),
  Mapping: mapOf(Type.Unknown(), {
    description: "a line a key: `claims help mapping` has the keys",
  }),
  MappingCheck: Type.Union([
    listOf({ key: nullable(Type.String()), message: Type.String() }),
    listOf({ list: Type.String(), rows: Type.Integer(), problem: Type.String() }),
  ]),
};

const credentialKind = () => oneOf("api_key", "oauth_client");

const profile = closedObject({
  name: Type.String(),
  current: Type.Boolean(),
  baseUrl: Type.String(),
  environment: environment(),
  caFile: nullable(Type.String()),
  mapping: nullable(Type.String({ description: "file of `claims mapping learn`" })),
  credential: nullable(
    closedObject({
      kind: credentialKind(),
      environment: environment(),
      ...each(Type.String, "fingerprint", "baseUrl"),
    }),
  ),
  webhookSecret: nullable(Type.String({ description: "fingerprint" })),
});

/** Of `claims auth` and `claims profiles`. */
const CREDENTIAL_DOCUMENTS = {
  AuthStatus: closedObject({
    profile: nullable(Type.String()),
    baseUrl: Type.String(),
    environment: environment(),
    kind: nullable(credentialKind()),
    clientId: nullable(Type.String()),
    fingerprint: nullable(Type.String()),
    tokenExpiresAt: nullable(dateTime()),
    from: closedObject({
      ...each(Type.String, "baseUrl", "environment"),
      credential: nullable(Type.String()),
    }),
  }),
  Logout: closedObject({ profiles: Type.Array(Type.String()) }),
  Profile: profile,
  Profiles: Type.Array(profile),
  RemovedProfile: closedObject({ removed: Type.String(), current: nullable(Type.String()) }),
};

const verdict = () => Type.String({ description: "as of webhooks verify" });

const DEMO_DOCUMENTS = {
  Demo: closedObject({
    report,
    webhook: closedObject({
      ...each(Type.String, "endpointId", "deliveryId"),
      states: Type.Array(Type.String(), { description: "of the delivery, after each attempt" }),
      verdict: verdict(),
      changed: closedObject({ verdict: verdict(), causes: Type.Array(Type.String()) }),
    }),
  }),
};

const ALIAS_DOCUMENTS = {
  Aliases: listOf({
    ...each(Type.String, "alias", "canonicalPath", "family"),
    lifecycle: oneOf("long_term", "migration_only"),
    sunset: nullable(date()),
  }),
  AliasUses: listOf({
    alias: Type.String(),
    uses: count(),
    lastUsedAt: Type.String(),
    canonicalPath: nullable(Type.String()),
    lifecycle: nullable(Type.String()),
    sunset: nullable(date()),
  }),
  AliasSunset: closedObject({ alias: Type.String(), sunset: nullable(date()) }),
};

/** The documents of this program; those of the service have the schemas of its contract. */
export const DOCUMENTS = {
  Capabilities: CAPABILITIES_SCHEMA,
  ...CREDENTIAL_DOCUMENTS,
  ...DILIGENCE_DOCUMENTS,
  ...WEBHOOK_DOCUMENTS,
  ...ALIAS_DOCUMENTS,
  ...CONTRACT_DOCUMENTS,
  ...SANDBOX_DOCUMENTS,
  ConformanceReport: closedObject(conformanceReport),
  ConformanceRules: conformanceRules,
  ...DEMO_DOCUMENTS,
  HelpTopic: Type.Array(mapOf(Type.String()), { description: "the table of a topic" }),
  Examples: listOf({
    ...each(Type.String, "name", "summary"),
    files: listOf(each(Type.String, "path", "text")),
  }),
  DoctorChecks: listOf({
    ...each(Type.String, "check", "detail"),
    status: oneOf("ok", "warn", "fail", "skip"),
    hint: nullable(Type.String()),
  }),
};

/** A printed document: its schema says what it holds. */
export type Document<Name extends keyof typeof DOCUMENTS> = ReadonlyStatic<(typeof DOCUMENTS)[Name]>;
