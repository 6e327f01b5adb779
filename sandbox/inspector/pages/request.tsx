import { STATUS_CODES } from "node:http";
import type { VNode } from "preact";
import { headerValues } from "../../../src/domain/http-headers.ts";
import { isTextTooDeep } from "../../../src/domain/json.ts";
import { Badge, Code, Facts, Section, SubjectLink, Table, Time } from "../../../src/pages/parts.tsx";
import type { LoggedBody, LoggedRequest } from "../../api/requests.ts";
import type { Engine } from "../../engine/engine.ts";
import { toLoggedRequest } from "../../engine/request-log/logged-request.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../../engine/request-log/request-log.ts";
import { activityTone } from "../../library/find-activity.ts";
import { ACTIVITY_TONES } from "./events.tsx";
import { type LabelledField, labelFields, type Place } from "./labelled-fields.ts";

export function renderRequestPage({ service, store }: Engine, recorded: RecordedRequest): VNode {
  const logged = toLoggedRequest(recorded, store);
  const { request, fields } = redactModel({
    request: logged,
    fields: labelFields(logged, service.givenMapping !== null),
  });
  const { status, operation, basis, caller, problem, webhooks } = request;
  const sentences = describe(request);
  return (
    <>
      <h1>
        Request {request.number}{" "}
        <Badge tone={ACTIVITY_TONES[activityTone(recorded)]}>
          {status === null ? request.outcome : `${status} ${STATUS_CODES[status] ?? ""}`}
        </Badge>
      </h1>
      <p>
        <code>
          {request.method} {request.target}
        </code>
      </p>
      {problem && <p class={`message ${(status ?? 500) < 500 ? "refusal" : "failure"}`}>{problem.detail}</p>}
      <Facts
        facts={{
          At: <Time at={request.at} />,
          Took: request.durationMs === null ? "still running" : `${request.durationMs} ms`,
          Operation: operation === null ? "none: the service has no such route" : `${operation} (${basis})`,
          Caller: caller ? `partner ${caller.partner}, ${caller.environment}` : "no valid credential",
          Outcome: request.outcome,
          "Request id": <code>{request.requestId}</code>,
        }}
      />
      {sentences.length > 0 && (
        <ul>
          {sentences.map((sentence) => (
            <li>{sentence}</li>
          ))}
        </ul>
      )}
      {webhooks.length > 0 && (
        <p>
          It caused{" "}
          {webhooks.map(({ id, eventType, status: state }, index) => (
            <span>
              {index > 0 && ", "}
              <SubjectLink subject={{ kind: "delivery", id }}>
                a delivery of {eventType} ({state})
              </SubjectLink>
            </span>
          ))}
          .
        </p>
      )}
      <div class="columns">
        <Section title="On the wire">
          <h3>Request</h3>
          <Code label="Request as it was sent" text={wireRequest(request)} />
          <h3>{request.outcome === "lost" ? "Response, which did not arrive" : "Response"}</h3>
          <Code label="Response as it was sent" text={wireResponse(request)} />
        </Section>
        <Section title="By the contract">
          {fields.length === 0 ? (
            <p class="note">The service has no such route, so the contract has no words for it.</p>
          ) : (
            <>
              <h3>Request</h3>
              <FieldTable place="request" fields={fields} />
              <h3>Response</h3>
              <FieldTable place="response" fields={fields} />
            </>
          )}
        </Section>
      </div>
    </>
  );
}

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

const BASIS_TONES = {
  documented: "ok",
  observed: "running",
  assumed: "due",
  varied: "warn",
  unknown: "bad",
} as const;

interface FieldTableProps {
  readonly place: Place;
  readonly fields: readonly LabelledField[];
}

/** The fields that one statement is about are in one row. */
function FieldTable({ place, fields }: FieldTableProps) {
  const groups = new Map<string, [LabelledField, ...LabelledField[]]>();
  for (const field of fields.filter((each) => each.place === place)) {
    const key = `${field.basis} ${field.source}`;
    const group = groups.get(key);
    if (group) group.push(field);
    else groups.set(key, [field]);
  }
  return (
    <Table
      label={`Fields of the ${place} by the contract`}
      columns={["Fields", "Basis and source"]}
      kinds={{ Fields: "names", "Basis and source": "words" }}
      rows={[...groups.values()].map((group) => [
        group.map(({ name }) => <code>{name} </code>),
        <>
          <Badge tone={BASIS_TONES[group[0].basis]}>
            {group[0].basis === "unknown" ? "not in the contract" : group[0].basis}
          </Badge>{" "}
          {group[0].source}
        </>,
      ])}
    />
  );
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
