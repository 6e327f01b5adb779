import { type HeaderList, headerValues } from "../../../domain/http-headers.ts";
import { listUuids } from "../../../domain/uuid.ts";
import { DELIVERY_STATES } from "../../../domain/webhooks/deliveries.ts";
import { ENDPOINT_STATES, ENVIRONMENT_SCOPES } from "../../../domain/webhooks/endpoints.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../domain/webhooks/headers.ts";
import { ALIAS_HEADERS, findAlias } from "../../aliases.ts";
import { documented } from "../../labels.ts";
import type { Evidence } from "../evidence.ts";
import { normalizeName, type Sample } from "./samples.ts";
import { isUuid } from "./value-forms.ts";

type Finding = Evidence["findings"][number];
type StatementId = Parameters<typeof documented>[0];

/** Where the service contradicts a sentence of the interface. Nothing else is a finding: it is a choice of the service. */
export function listFindings(
  samples: readonly Sample[],
  deliveries: readonly HeaderList[],
  itemsOf: (sample: Sample) => readonly unknown[],
): Finding[] {
  const findings = new Map<string, Finding>();
  const report: Report = (operation, subject, seen, id) => {
    const statement = documented(id).source;
    findings.set(`${operation} ${subject} ${id}`, { operation, subject, seen, statement });
  };
  for (const sample of samples) {
    const { operation, status, document } = sample;
    const isSuccess = status < 300;
    if (isSuccess) {
      if (operation.id === "diligence.submit") checkSubmission(sample, report);
      const isReport = operation.id === "diligence.report" && document !== undefined;
      if (isReport && findDeep(document, "rf8Review") === undefined)
        report(operation.id, "rf8Review", "absent", "rf8Review");
      if (operation.id.startsWith("webhooks.")) checkWebhooks(sample, itemsOf(sample), report);
      if (operation.id === "webhooks.test") checkPreview(document, report);
      if (isOtherType(sample)) report(operation.id, "Content-Type", sample.type, "content.json");
    }
    checkAlias(sample, report);
    checkRoute(sample, report);
  }
  for (const headers of deliveries) checkDelivery(headers, report);
  return [...findings.values()];
}

type Report = (operation: string, subject: string, seen: string, statement: StatementId) => void;

/** The interface says nothing of the depth of a field. */
function findDeep(value: unknown, name: string, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > 20) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && normalizeName(key) === normalizeName(name)) return inner;
    const found = findDeep(inner, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkSubmission({ status, document, headers }: Sample, report: Report): void {
  if (status !== 202) report("diligence.submit", "status", String(status), "submit");
  const texts = JSON.stringify([document ?? null, headers.location ?? ""]);
  if (listUuids(texts).length === 0) report("diligence.submit", "job id", "no UUID", "job.id");
}

const ENDPOINT_FIELDS = [
  "label",
  "url",
  "subscribedEvents",
  "environmentScope",
  "secretPrefix",
  "status",
] as const;
const DELIVERY_FIELDS = [
  "status",
  "attemptCount",
  "lastResponseStatus",
  "lastError",
  "lastAttemptAt",
  "nextAttemptAt",
  "deliveredAt",
] as const;

function checkWebhooks({ operation: { id }, document }: Sample, items: readonly unknown[], report: Report) {
  const isList = id === "webhooks.endpoints";
  if (isList && findDeep(document, "signingSecret") !== undefined)
    report(id, "signingSecret", "in a list", "endpoint.signingSecret");
  if (id === "webhooks.create" && typeof findDeep(document, "signingSecret") !== "string")
    report(id, "signingSecret", "absent", "endpoint.signingSecret");
  for (const item of id === "webhooks.create" ? [document] : items) {
    if (isList || id === "webhooks.create") checkEndpoint(id, item, report);
    if (id !== "webhooks.deliveries") continue;
    for (const field of DELIVERY_FIELDS)
      if (findDeep(item, field) === undefined) report(id, field, "absent", `delivery.${field}`);
    checkWord(id, item, "delivery.status", DELIVERY_STATES, report);
  }
}

function checkEndpoint(id: string, item: unknown, report: Report): void {
  for (const field of ENDPOINT_FIELDS)
    if (findDeep(item, field) === undefined) report(id, field, "absent", `endpoint.${field}`);
  checkWord(id, item, "endpoint.status", ENDPOINT_STATES, report);
  checkWord(id, item, "endpoint.environmentScope", ENVIRONMENT_SCOPES, report);
  const events = findDeep(item, "subscribedEvents");
  if (events !== undefined && (!Array.isArray(events) || events.some((each) => typeof each !== "string")))
    report(id, "subscribedEvents", "not a list of texts", "endpoint.subscribedEvents");
  const ids = findDeep(item, "id");
  if (ids !== undefined && !isUuid(ids)) report(id, "id", "not a UUID", "endpoint.id");
}

function checkWord(
  operation: string,
  item: unknown,
  statement: StatementId,
  words: readonly string[],
  report: Report,
): void {
  const subject = statement.replace(/^.*\./, "");
  const value = findDeep(item, subject);
  if (typeof value === "string" && !words.includes(value.toLowerCase()))
    report(operation, subject, "another word", statement);
}

/** A dataset has the type of its format, and the contract any JSON. */
const isOtherType = ({ operation: { id }, type, body }: Sample): boolean =>
  id !== "diligence.dataset" && id !== "document.openapi" && body !== "" && !/[/+]json$/.test(type);

function checkAlias({ operation, path, headers }: Sample, report: Report): void {
  const pathname = path.replace(/\?.*$/s, "");
  if (!findAlias(pathname)) return;
  const names = Object.values(ALIAS_HEADERS).map((name) => name.toLowerCase());
  const missing = names.filter((name) => headers[name] === undefined);
  if (missing.length > 0) report(operation.id, missing.join(", "), "absent", "alias.headers");
}

/** The lists that the interface has a statement of, under the id of the operation. */
const STATED_LISTS = ["clients.list", "webhooks.endpoints", "webhooks.deliveries"] as const;

/** A list has no record that could be missing. */
function checkRoute({ operation: { id }, status }: Sample, report: Report): void {
  const statement = STATED_LISTS.find((each) => each === id);
  if (statement !== undefined && [404, 405, 410, 501].includes(status))
    report(id, "route", `status ${status}`, statement);
}

function checkPreview(document: unknown, report: Report): void {
  const signature = findDeep(document, SIGNATURE_HEADER);
  if (typeof signature === "string" && !HEX.test(signature))
    report("webhooks.test", SIGNATURE_HEADER, NOT_HEX, "event.signature");
}

const HEX = /^[0-9a-f]{64}$/;
const NOT_HEX = "not 64 lower-case hexadecimal digits";

function checkDelivery(headers: HeaderList, report: Report): void {
  const [signature = ""] = headerValues(headers, SIGNATURE_HEADER);
  if (!HEX.test(signature)) report("event", SIGNATURE_HEADER, NOT_HEX, "event.signature");
  if (headerValues(headers, TIMESTAMP_HEADER).length === 0)
    report("event", TIMESTAMP_HEADER, "absent", "event.timestamp");
}
