import { STATUS_CODES } from "node:http";
import type { VNode } from "preact";
import { findRefusalReason } from "../../../src/domain/activity/describe-request.ts";
import { headerValues } from "../../../src/domain/http-headers.ts";
import { isTextTooDeep } from "../../../src/domain/json.ts";
import { Badge, Code, Facts, Section, SubjectLink, Table, Time } from "../../../src/pages/parts.tsx";
import type { LoggedBody, LoggedRequest } from "../../api/requests.ts";
import type { Engine } from "../../engine/engine.ts";
import { toLoggedRequest } from "../../engine/request-log/logged-request.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../../engine/request-log/request-log.ts";
import { type LabelledField, labelFields } from "./labelled-fields.ts";

export function renderRequestPage({ service, store }: Engine, recorded: RecordedRequest): VNode {
  const logged = toLoggedRequest(recorded, store);
  const { request, fields } = redactModel({
    request: logged,
    fields: labelFields(logged, service.givenMapping !== null),
  });
  const reason =
    request.status !== null && request.status >= 400
      ? findRefusalReason(request.responseBody?.text ?? "")
      : "";
  return (
    <>
      <h1>
        Request {request.number} <StatusBadge request={request} />
      </h1>
      <p>
        <code>
          {request.method} {request.target}
        </code>
      </p>
      {reason && <p class={`message ${(request.status ?? 500) < 500 ? "refusal" : "failure"}`}>{reason}</p>}
      <Facts facts={factsOf(request)} />
      <ul class="sentences">
        {describe(request).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Caused request={request} />
      <div class="columns">
        <Section title="On the wire">
          <h3>Request</h3>
          <Code label="Request as it was sent" text={wireRequest(request)} />
          <h3>{request.outcome === "lost" ? "Response, which did not arrive" : "Response"}</h3>
          <Code label="Response as it was sent" text={wireResponse(request)} />
        </Section>
        <Section title="By the contract">
          <FieldTable fields={fields} />
        </Section>
      </div>
    </>
  );
}

const StatusBadge = ({ request: { status, outcome } }: { readonly request: LoggedRequest }) => {
  const tone =
    status === null || status >= 500 || outcome !== "answered" ? "bad" : status >= 400 ? "warn" : "ok";
  return <Badge tone={tone}>{status === null ? outcome : `${status} ${STATUS_CODES[status] ?? ""}`}</Badge>;
};

const factsOf = ({ at, caller, durationMs, operation, basis, requestId, outcome }: LoggedRequest) =>
  [
    ["At", <Time at={at} isFull />],
    ["Took", durationMs === null ? "still running" : `${durationMs} ms`],
    ["Operation", operation === null ? "none: the service has no such route" : `${operation} (${basis})`],
    ["Caller", caller ? `partner ${caller.partner}, ${caller.environment}` : "no valid credential"],
    ["Outcome", outcome],
    ["Request id", <code>{requestId}</code>],
  ] as const;

/** One sentence each for key, fault, alias and grease. */
function describe(request: LoggedRequest): string[] {
  const { alias, fault, idempotentReplay, varied, requestHeaders } = request;
  const [key] = headerValues(requestHeaders, "idempotency-key");
  const use = idempotentReplay
    ? "was used before: the response is the stored one, and nothing ran again"
    : "was new: the response is stored for a repeat";
  return [
    ...(key === undefined ? [] : [`Its Idempotency-Key ${key} ${use}.`]),
    ...(fault === null ? [] : [`A fault applied: ${fault}.`]),
    ...(alias ? [`The alias ${alias.path} forwarded it to ${alias.canonicalPath}.`] : []),
    ...(varied.length === 0 ? [] : [`Grease varied what is only assumed: ${varied.join(", ")}.`]),
  ];
}

function Caused({ request: { webhooks } }: { readonly request: LoggedRequest }) {
  if (webhooks.length === 0) return null;
  return (
    <p>
      It caused{" "}
      {webhooks.map(({ id, eventType, status }, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <SubjectLink subject={{ kind: "delivery", id }}>
            a delivery of {eventType} ({status})
          </SubjectLink>
        </span>
      ))}
      .
    </p>
  );
}

const BASIS_TONES = {
  documented: "ok",
  observed: "running",
  assumed: "due",
  varied: "warn",
  unknown: "bad",
} as const;

function FieldTable({ fields }: { readonly fields: readonly LabelledField[] }) {
  if (fields.length === 0)
    return <p class="note">The service has no such route, so the contract has no words for it.</p>;
  return (
    <>
      {(["request", "response"] as const).map((place) => (
        <div key={place}>
          <h3>{place === "request" ? "Request" : "Response"}</h3>
          <Table
            label={`Fields of the ${place} by the contract`}
            columns={["Fields", "Basis and source"]}
            names={["Fields"]}
            words={["Basis and source"]}
            rows={groupFields(fields, place).map(({ names, basis, source }) => ({
              key: `${basis} ${source}`,
              cells: [
                names.map((name) => <code key={name}>{name} </code>),
                <>
                  <Badge tone={BASIS_TONES[basis]}>
                    {basis === "unknown" ? "not in the contract" : basis}
                  </Badge>{" "}
                  {source}
                </>,
              ],
            }))}
          />
        </div>
      ))}
    </>
  );
}

type FieldGroup = Pick<LabelledField, "basis" | "source"> & { readonly names: string[] };

/** The fields that one statement is about are in one row. */
function groupFields(fields: readonly LabelledField[], place: LabelledField["place"]): FieldGroup[] {
  const groups = new Map<string, FieldGroup>();
  for (const { basis, name, place: own, source } of fields) {
    if (own !== place) continue;
    const group = groups.get(`${basis} ${source}`);
    if (group) group.names.push(name);
    else groups.set(`${basis} ${source}`, { basis, source, names: [name] });
  }
  return [...groups.values()];
}

const wireRequest = ({ method, target, httpVersion, requestHeaders, requestBody }: LoggedRequest): string =>
  message(`${method} ${target} HTTP/${httpVersion}`, requestHeaders, requestBody);

function wireResponse({ status, httpVersion, outcome, ...response }: LoggedRequest): string {
  if (status === null) return outcome === "running" ? "not yet" : "none: the connection ended before it";
  const start = `HTTP/${httpVersion} ${status} ${STATUS_CODES[status] ?? ""}`;
  return message(start, response.responseHeaders, response.responseBody);
}

const message = (start: string, headers: LoggedRequest["requestHeaders"], body: LoggedBody | null): string =>
  [start, ...headers.map(([name, value]) => `${name}: ${value}`), ...(body ? ["", bodyText(body)] : [])].join(
    "\n",
  );

/** Characters of a body that a page shows. */
export const MAX_BODY_CHARACTERS = 20_000;

function bodyText({ text, size, truncated, fields }: LoggedBody): string {
  if (text === null) return `[${size ?? "unknown"} bytes, not text or not kept]`;
  const isCut = truncated || text.length > MAX_BODY_CHARACTERS;
  const named = isCut ? (fields ?? []).map(([name, value]) => `[field ${name}: ${value}]`) : [];
  const shown = indentJson(text.slice(0, MAX_BODY_CHARACTERS));
  return [shown, ...(isCut ? [`[the beginning of ${size} bytes]`, ...named] : [])].join("\n");
}

/** Levels of nesting up to which JSON is indented: the size of indents grows with the square of the depth. */
const MAX_INDENTED_DEPTH = 16;

/** Readable JSON: the bytes on the wire have no line ends. */
export function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.includes("\n") || isTextTooDeep(text, MAX_INDENTED_DEPTH)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
