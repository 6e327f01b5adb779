import { Buffer } from "node:buffer";
import type { VNode } from "preact";
import { headerValues } from "../../../src/domain/http-headers.ts";
import { formatDuration } from "../../../src/domain/times.ts";
import { secretPrefixOf } from "../../../src/domain/webhooks/endpoints.ts";
import { explain } from "../../../src/domain/webhooks/explain/explain.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../src/domain/webhooks/headers.ts";
import type { Mark } from "../../../src/pages/lanes.ts";
import {
  ActionForm,
  Badge,
  Button,
  Code,
  Facts,
  Section,
  SubjectLink,
  Table,
  Time,
} from "../../../src/pages/parts.tsx";
import { TimePicture } from "../../../src/pages/pictures.tsx";
import { useSite } from "../../../src/pages/site.ts";
import type { DeliveryAttempt, DeliveryDetails } from "../../api/webhooks.ts";
import type { Engine } from "../../engine/engine.ts";
import { redactBytes, redactModel } from "../../engine/request-log/redaction.ts";
import { toDeliveryDetails } from "../../engine/webhooks/records.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";
import { DELIVERY_TONES } from "./deliveries.tsx";
import { listDueFor } from "./due.ts";
import { indentJson, MAX_BODY_CHARACTERS } from "./request.tsx";

type DeliveryModel = ReturnType<typeof readDelivery>;

function readDelivery(engine: Engine, row: DeliveryRow) {
  const { store, webhooks } = engine;
  const endpoint = webhooks.endpoint(row.endpointId);
  const delivery = toDeliveryDetails(store, row, endpoint.url);
  const last = delivery.attempts.at(-1);
  const body = Buffer.from(delivery.bodyBase64, "base64");
  return redactModel({
    delivery: { ...delivery, bodyBase64: "" },
    endpointLabel: endpoint.label,
    bodySize: body.length,
    hexDump: dumpHex(redactBytes(body).subarray(0, MAX_HEX_BYTES)),
    /** The attempts that are due, soonest first: RFC 3339. */
    due: listDueFor(engine, row.id).map(({ at }) => at),
    /** Of the last attempt; null before the first one. */
    signature: last
      ? {
          timestamp: headerValues(last.headers, TIMESTAMP_HEADER)[0] ?? "",
          signature: headerValues(last.headers, SIGNATURE_HEADER)[0] ?? "",
          secretPrefix: secretPrefixOf(endpoint.secret),
          verification: verifyWith(endpoint.secret, last, body),
        }
      : null,
  });
}

function verifyWith(secret: string, { headers }: DeliveryAttempt, body: Uint8Array) {
  const { verdict, reason } = explain({ secrets: [secret], headers, body });
  return { verdict, reason };
}

export function renderDeliveryPage(engine: Engine, row: DeliveryRow): VNode {
  const { delivery, endpointLabel, due, signature, ...body } = readDelivery(engine, row);
  const { id, eventType, status, url, endpointId, eventId, environment } = delivery;
  return (
    <>
      <h1>
        Delivery of {eventType} <Badge tone={DELIVERY_TONES[status]}>{status}</Badge>
      </h1>
      <Facts
        facts={[
          ["Delivery", <code>{id}</code>],
          [
            "Endpoint",
            <SubjectLink subject={{ kind: "endpoint", id: endpointId }}>{endpointLabel}</SubjectLink>,
          ],
          ["Receiver", <code>{url}</code>],
          ["Event", <code>{eventId}</code>],
          ["Environment", environment],
          ["Created", <Time at={delivery.createdAt} isFull />],
        ]}
      />
      <ActionForm path={`/deliveries/${id}/resend`} label="Resend">
        <Button>Resend</Button>
      </ActionForm>
      <Attempts delivery={delivery} due={due} />
      <div class="columns">
        <Body delivery={delivery} {...body} />
        {signature && <Signature body={delivery.body} {...signature} />}
      </div>
    </>
  );
}

const Attempts = ({ delivery: { attempts }, due }: Pick<DeliveryModel, "delivery" | "due">) => {
  const { now } = useSite();
  return (
    <Section title="Attempts" live="attempts">
      <TimePicture
        label="Attempts in time"
        now={now}
        lanes={[{ name: "attempts", marks: attempts.map(toMark) }]}
        due={due.map((at) => ({ at, text: "the next attempt" }))}
      />
      <Table
        label="Attempts"
        columns={["No.", "At", "Result", "Took", "Response"]}
        numbers={["Took"]}
        words={["Response"]}
        rows={[
          ...attempts.map(
            ({ number, at, trigger, responseStatus, error, durationMs, responseExcerpt }, index) => ({
              key: number,
              cells: [
                number,
                <>
                  <Time at={at} isFull />{" "}
                  <small>{trigger === "resend" ? "resent" : describeGap(at, attempts[index - 1]?.at)}</small>
                </>,
                <Badge tone={error ? "bad" : "ok"}>{responseStatus ?? error?.code ?? "none"}</Badge>,
                `${durationMs} ms`,
                <>
                  {error && error.code !== "http_status" && error.detail}{" "}
                  <code>{(responseExcerpt ?? "").slice(0, 300)}</code>
                </>,
              ],
            }),
          ),
          ...due.map((at) => ({
            key: at,
            cells: [
              "–",
              <>
                <Time at={at} isFull /> <small>in {formatDuration(Date.parse(at) - Date.parse(now))}</small>
              </>,
              <Badge tone="due">due</Badge>,
              "",
              "",
            ],
          })),
        ]}
      />
    </Section>
  );
};

const toMark = ({ number, at, error, responseStatus }: DeliveryDetails["attempts"][number]): Mark => ({
  at: Date.parse(at),
  tone: error ? "bad" : "ok",
  title: `attempt ${number}, ${at}: ${responseStatus ?? error?.detail ?? "no response"}`,
  subject: null,
});

const describeGap = (at: string, before: string | undefined): string =>
  before === undefined ? "" : `${formatDuration(Date.parse(at) - Date.parse(before))} later`;

/** The beginning of a long body: a report with 200 whole ones would be too long for a string. */
const excerptOf = (body: string): string =>
  body.length > MAX_BODY_CHARACTERS ? `${body.slice(0, MAX_BODY_CHARACTERS)}…` : body;

/** Bytes of a body that are shown as hex. */
const MAX_HEX_BYTES = 512;

type BodyProps = Pick<DeliveryModel, "delivery" | "bodySize" | "hexDump">;

function Body({ delivery: { id, body }, bodySize, hexDump }: BodyProps) {
  return (
    <Section title="Body" note={`${bodySize} bytes, the same for every attempt`}>
      {body === null ? (
        <p>The bytes are not UTF-8.</p>
      ) : (
        <Code label="Body, with line ends for reading" text={indentJson(excerptOf(body))} />
      )}
      {body !== null && body.length > MAX_BODY_CHARACTERS && (
        <p class="note">
          The first {MAX_BODY_CHARACTERS} characters. <code>claims webhooks deliveries show {id} --json</code>{" "}
          prints all.
        </p>
      )}
      <details>
        <summary>As bytes</summary>
        <Code label="Body as bytes" text={hexDump} />
        {bodySize > MAX_HEX_BYTES && <p class="note">The first {MAX_HEX_BYTES} bytes.</p>}
      </details>
    </Section>
  );
}

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

type SignatureProps = NonNullable<DeliveryModel["signature"]> & { readonly body: string | null };

const Signature = ({ timestamp, signature, secretPrefix, verification, body }: SignatureProps) => (
  <Section title="Signature, step by step" note="Of the last attempt (interface §6)">
    <ol>
      <li>
        Take the exact value of <code>X-Service-Timestamp</code>: <code>{timestamp}</code>
      </li>
      <li>
        Append a full stop and the raw body, byte for byte:
        <Code label="Base string" text={`${timestamp}.${excerptOf(body ?? "[bytes that are not UTF-8]")}`} />
      </li>
      <li>
        Compute HMAC-SHA256 with the whole signing secret, which begins <code>{secretPrefix}</code>, as
        lowercase hex:
        <Code label="Signature" text={signature} />
      </li>
      <li>
        Compare it with <code>X-Service-Signature</code> in constant time:{" "}
        <Badge tone={verification.verdict === "valid" ? "ok" : "bad"}>
          {verification.verdict.replace("_", " ")}
        </Badge>{" "}
        {verification.reason}
      </li>
    </ol>
  </Section>
);
