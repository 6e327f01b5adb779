import { Buffer } from "node:buffer";
import type { DeliveryAttempt, DeliveryDetails } from "../../../../../sandbox/index.ts";
import { formatDuration } from "../../../output/format-duration.ts";
import type { Block } from "../../../output/output.ts";
import { toRecordCard } from "../../../output/record-card.ts";

/** Characters of a body or a response that a person is shown. */
const MAX_TEXT_LENGTH = 4_000;

/** A delivery, its attempts one by one, and its body. */
export function renderDetails({ body, bodyBase64, attempts, ...record }: DeliveryDetails): readonly Block[] {
  const text =
    body ??
    `no UTF-8: ${Buffer.from(bodyBase64, "base64").length} bytes; claims webhooks deliveries body prints them`;
  return [
    toRecordCard(record, `Delivery ${record.id}`),
    ...attempts.map(renderAttempt),
    { kind: "paragraph", title: "Body", lines: shortenText(text) },
  ];
}

function renderAttempt(attempt: DeliveryAttempt): Block {
  const { number, trigger, at, durationMs, headers, responseStatus, responseExcerpt, error } = attempt;
  const outcome = responseStatus === null ? (error?.code ?? "no answer") : String(responseStatus);
  const how = trigger === "resend" ? ", sent again by hand" : "";
  const lines = [
    `Attempt ${number}${how}: ${outcome} after ${formatDuration(durationMs)} at ${at}`,
    ...headers.map(([name, value]) => `  ${name}: ${value}`),
    ...(error ? ["", `  ${error.code}: ${error.detail}`] : []),
    ...(responseExcerpt ? ["", ...shortenText(responseExcerpt).map((line) => `  ${line}`)] : []),
  ];
  // No title: a program is to be told, too.
  return { kind: "paragraph", lines };
}

function shortenText(text: string): readonly string[] {
  const cut = text.length > MAX_TEXT_LENGTH;
  const lines = (cut ? text.slice(0, MAX_TEXT_LENGTH) : text).split(/\r?\n/);
  return cut ? [...lines, `… and ${text.length - MAX_TEXT_LENGTH} characters more`] : lines;
}
