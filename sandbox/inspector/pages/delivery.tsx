import { Buffer } from "node:buffer";
import type { VNode } from "preact";
import { headerValues } from "../../../src/domain/http-headers.ts";
import { formatDuration } from "../../../src/domain/times.ts";
import { secretPrefixOf } from "../../../src/domain/webhooks/endpoints.ts";
import { explain } from "../../../src/domain/webhooks/explain/explain.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../src/domain/webhooks/headers.ts";
import {
  ActionForm,
  Badge,
  Code,
  DueTime,
  Facts,
  Section,
  SubjectLink,
  Table,
  Time,
} from "../../../src/pages/parts.tsx";
import { type DueMark, type Mark, TimePicture } from "../../../src/pages/pictures.tsx";
import type { DeliveryAttempt } from "../../api/webhooks.ts";
import type { Engine } from "../../engine/engine.ts";
import { redactBytes, redactModel } from "../../engine/request-log/redaction.ts";
import { toDeliveryDetails } from "../../engine/webhooks/records.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";
import { DELIVERY_TONES } from "./deliveries.tsx";
import { listDueFor } from "./due.ts";
import { indentJson, MAX_BODY_CHARACTERS } from "./request.tsx";

/** Bytes of a body that are shown as hex. */
const MAX_HEX_BYTES = 512;

export function renderDeliveryPage(engine: Engine, row: DeliveryRow): VNode {
  const endpoint = engine.webhooks.endpoint(row.endpointId);
  const { bodyBase64, ...details } = toDeliveryDetails(engine.store, row, endpoint.url);
  const bytes = Buffer.from(bodyBase64, "base64");
  const last = details.attempts.at(-1);
  const { delivery, endpointLabel, hexDump, due, signature } = redactModel({
    delivery: details,
    endpointLabel: endpoint.label,
    hexDump: dumpHex(redactBytes(bytes).subarray(0, MAX_HEX_BYTES)),
    due: listDueFor(engine, row.id),
    signature: last ? readSignature(last, endpoint.secret, bytes) : null,
  });
  const { id, eventType, status, body } = delivery;
  return (
    <>
      <h1>
        Delivery of {eventType} <Badge tone={DELIVERY_TONES[status]}>{status}</Badge>
      </h1>
      <Facts
        facts={{
          Delivery: <code>{id}</code>,
          Endpoint: (
            <SubjectLink subject={{ kind: "endpoint", id: delivery.endpointId }}>{endpointLabel}</SubjectLink>
          ),
          Receiver: <code>{delivery.url}</code>,
          Event: <code>{delivery.eventId}</code>,
          Environment: delivery.environment,
          Created: <Time at={delivery.createdAt} />,
        }}
      />
      <ActionForm path={`/deliveries/${id}/resend`} label="Resend" button="Resend" />
      <Attempts attempts={delivery.attempts} due={due} />
      <div class="columns">
        <Section title="Body" note={`${bytes.length} bytes, the same for every attempt`}>
          {body === null ? (
            <p>The bytes are not UTF-8.</p>
          ) : (
            <Code label="Body, with line ends for reading" text={indentJson(excerptOf(body))} />
          )}
          {body !== null && body.length > MAX_BODY_CHARACTERS && (
            <p class="note">
              The first {MAX_BODY_CHARACTERS} characters.{" "}
              <code>claims webhooks deliveries show {id} --json</code> prints all.
            </p>
          )}
          <details>
            <summary>As bytes</summary>
            <Code label="Body as bytes" text={hexDump} />
            {bytes.length > MAX_HEX_BYTES && <p class="note">The first {MAX_HEX_BYTES} bytes.</p>}
          </details>
        </Section>
        {signature && <SignatureSteps body={body} signature={signature} />}
      </div>
    </>
  );
}

interface AttemptsProps {
  readonly attempts: readonly DeliveryAttempt[];
  readonly due: readonly DueMark[];
}

const Attempts = ({ attempts, due }: AttemptsProps) => (
  <Section title="Attempts" live="attempts">
    <TimePicture
      label="Attempts in time"
      lanes={[{ name: "attempts", marks: attempts.map(toMark) }]}
      due={due.map(({ at }) => ({ at, text: "the next attempt" }))}
    />
    <Table
      label="Attempts"
      columns={["No.", "At", "Result", "Took", "Response"]}
      kinds={{ Took: "number", Response: "words" }}
      rows={[
        ...attempts.map((attempt, index) => [
          attempt.number,
          <>
            <Time at={attempt.at} /> <small>{describeCause(attempt, attempts[index - 1])}</small>
          </>,
          <Badge tone={attempt.error ? "bad" : "ok"}>
            {attempt.responseStatus ?? attempt.error?.code ?? "none"}
          </Badge>,
          `${attempt.durationMs} ms`,
          <>
            {attempt.error && attempt.error.code !== "http_status" && attempt.error.detail}{" "}
            <code>{(attempt.responseExcerpt ?? "").slice(0, 300)}</code>
          </>,
        ]),
        ...due.map(({ at }) => ["–", <DueTime at={at} />, <Badge tone="due">due</Badge>, "", ""]),
      ]}
    />
  </Section>
);

const toMark = ({ number, at, error, responseStatus }: DeliveryAttempt): Mark => ({
  at: Date.parse(at),
  tone: error ? "bad" : "ok",
  title: `attempt ${number}, ${at}: ${responseStatus ?? error?.detail ?? "no response"}`,
});

function describeCause({ at, trigger }: DeliveryAttempt, before: DeliveryAttempt | undefined): string {
  if (trigger === "resend") return "resent";
  return before ? `${formatDuration(Date.parse(at) - Date.parse(before.at))} later` : "";
}

/** The beginning of a long body: a report with 200 whole ones would be too long for a string. */
const excerptOf = (body: string): string =>
  body.length > MAX_BODY_CHARACTERS ? `${body.slice(0, MAX_BODY_CHARACTERS)}…` : body;

function dumpHex(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += 16) {
    const row = [...bytes.subarray(start, start + 16)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${start.toString(16).padStart(4, "0")}  ${hex.padEnd(47)}  ${text}`);
  }
  return lines.join("\n");
}

function readSignature({ headers }: DeliveryAttempt, secret: string, body: Uint8Array) {
  const { verdict, reason } = explain({ secrets: [secret], headers, body });
  const [timestamp = ""] = headerValues(headers, TIMESTAMP_HEADER);
  const [signature = ""] = headerValues(headers, SIGNATURE_HEADER);
  return { timestamp, signature, secretPrefix: secretPrefixOf(secret), verdict, reason };
}

interface SignatureStepsProps {
  readonly body: string | null;
  readonly signature: ReturnType<typeof readSignature>;
}

const SignatureSteps = ({ body, signature: own }: SignatureStepsProps) => (
  <Section title="Signature, step by step" note="Of the last attempt (interface §6)">
    <ol>
      <li>
        Take the exact value of <code>X-Service-Timestamp</code>: <code>{own.timestamp}</code>
      </li>
      <li>
        Append a full stop and the raw body, byte for byte:
        <Code
          label="Base string"
          text={`${own.timestamp}.${excerptOf(body ?? "[bytes that are not UTF-8]")}`}
        />
      </li>
      <li>
        Compute HMAC-SHA256 with the whole signing secret, which begins <code>{own.secretPrefix}</code>, as
        lowercase hex:
        <Code label="Signature" text={own.signature} />
      </li>
      <li>
        Compare it with <code>X-Service-Signature</code> in constant time:{" "}
        <Badge tone={own.verdict === "valid" ? "ok" : "bad"}>{own.verdict.replace("_", " ")}</Badge>{" "}
        {own.reason}
      </li>
    </ol>
  </Section>
);
