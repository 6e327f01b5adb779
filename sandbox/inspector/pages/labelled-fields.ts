import { type LabelledPart, listLabelledParts } from "../../../src/contract/assumptions.ts";
import { EVENT } from "../../../src/contract/event.ts";
import { findOperation } from "../../../src/contract/operations/operations.ts";
import { isRecord, isTextTooDeep, parseJsonText } from "../../../src/domain/json.ts";
import type { LoggedBody, LoggedRequest } from "../../api/requests.ts";

const ALL_PARTS = listLabelledParts();

/** A page is for people; a response has rarely as many different fields. */
const MAX_FIELDS = 150;

export type Place = "request" | "response";

/** What the contract says about a part. */
interface Label {
  readonly basis: "documented" | "observed" | "assumed" | "varied" | "unknown";
  /** The statement of the interface, where it was observed, or what grease varied. */
  readonly source: string;
}

/** A part of a request or a response. */
export interface LabelledField extends Label {
  readonly place: Place;
  /** A header, the status, or the path of a field: `data[].id`. */
  readonly name: string;
}

/** Every part of a request and its response that the contract could describe. @param hasMapping of a real service */
export function labelFields(request: LoggedRequest, hasMapping: boolean): LabelledField[] {
  const { method, operation, requestBody, requestHeaders, responseBody, responseHeaders, status, target } =
    request;
  const row = findOperation(operation);
  if (!row || operation === null) return [];
  const parts = ALL_PARTS.filter((part) => part.operation === operation || part.operation === "*");
  const label = (place: Place, name: string, kind: LabelledPart["kind"], subject = name) => {
    const part =
      parts.find((each) => each.kind === kind && isSubject(each.subject, subject)) ??
      findPartOfPreview(parts, subject);
    const { basis, source } = part ?? labelUnknown(place, request, hasMapping);
    return { place, name, basis, source };
  };
  const route = request.alias?.path ?? request.route ?? row.path;
  const query = new URLSearchParams(target.split("?")[1] ?? "");
  const isProblem = status !== null && status >= 400;
  const problem = isProblem ? parseJsonText(responseBody?.text ?? "") : null;
  const fields = [
    label("request", `${method} ${route}`, "method"),
    ...requestHeaders.flatMap(([name]) => labelHeader("request", name, parts)),
    ...[...new Set(query.keys())].map((name) => label("request", name, "parameter")),
    ...bodyPaths(requestBody).map((path) => label("request", path, "request")),
    ...(status === null || isProblem
      ? []
      : [label("response", `status ${status}`, "response", `the status is ${status}`)]),
    ...(isRecord(problem) && typeof problem.code === "string"
      ? [label("response", `${status} ${problem.code}`, "problem")]
      : []),
    ...responseHeaders.flatMap(([name]) => labelHeader("response", name, parts)),
    ...bodyPaths(responseBody).map((path) => label("response", path, isProblem ? "problem" : "field")),
  ];
  return fields.slice(0, MAX_FIELDS);
}

/** The preview of a test event has the headers of its delivery, whose labels are those of an event (interface §6). */
function findPartOfPreview(parts: readonly LabelledPart[], path: string): LabelledPart | undefined {
  const [preview, header] = path.split(".headers.");
  const field = parts.find(({ kind, subject }) => kind === "field" && subject === `${preview}.headers`);
  if (!field || header === undefined) return undefined;
  const lower = header.toLowerCase();
  const named = ALL_PARTS.find(
    ({ operation, kind, subject }) =>
      operation === EVENT.id && kind === "header" && subject.toLowerCase() === lower,
  );
  return named ?? field;
}

/** Of a part that the contract does not name. */
function labelUnknown(place: Place, { fault, varied }: LoggedRequest, hasMapping: boolean): Label {
  if (place === "response" && varied.length > 0) return { basis: "varied", source: varied.join(", ") };
  if (place === "response" && fault !== null) return { basis: "varied", source: `fault: ${fault}` };
  return hasMapping
    ? { basis: "observed", source: "the mapping of the service" }
    : { basis: "unknown", source: "" };
}

/** A `*` in the path of a part stands for the name of any member. */
function isSubject(pattern: string, subject: string): boolean {
  if (!pattern.includes("*")) return pattern === subject;
  const [own, other] = [pattern.split("."), subject.split(".")];
  return own.length === other.length && own.every((name, index) => name === "*" || name === other[index]);
}

/** Headers that no part names are those of HTTP, which the contract does not repeat; but one of the service would be. */
function labelHeader(place: Place, name: string, parts: readonly LabelledPart[]): LabelledField[] {
  const lower = name.toLowerCase();
  const part = parts.find(
    ({ kind, subject }) =>
      (kind === "header" || kind === "parameter") &&
      subject.split(/: |, /).some((word) => word.toLowerCase() === lower),
  );
  if (part) return [{ place, name, basis: part.basis, source: part.source }];
  if (lower === "x-sandbox-grease" || lower === "x-sandbox-fault")
    return [{ place, name, basis: "varied", source: "of the sandbox, never of the service" }];
  return lower.startsWith("x-service-") ? [{ place, name, basis: "unknown", source: "" }] : [];
}

/** The paths of a body's fields, in order and each once: `data[].id`. */
function bodyPaths(body: LoggedBody | null): string[] {
  const text = body?.text ?? "";
  const paths = new Set((body?.fields ?? []).map(([name]) => name));
  if (body?.fields && text.includes('name="file"')) paths.add("file");
  if (!body?.fields && /^[\w.]+=/.test(text))
    for (const name of new URLSearchParams(text).keys()) paths.add(name);
  if (!isTextTooDeep(text)) addPaths(parseJsonText(text), "", paths);
  return [...paths];
}

function addPaths(value: unknown, path: string, paths: Set<string>): void {
  if (paths.size > MAX_FIELDS) return;
  if (Array.isArray(value)) for (const each of value) addPaths(each, `${path}[]`, paths);
  else if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) {
      const subject = path === "" ? name : `${path}.${name}`;
      paths.add(subject);
      addPaths(member, subject, paths);
    }
  }
}
