import { Buffer } from "node:buffer";
import type { Block, Card } from "../../output/output.ts";
import type { Item } from "../../paged-list.ts";
import { durationInWords } from "../sandbox/duration-in-words.ts";
import type { Attempt, DeliveryDetail } from "./delivery-detail.ts";

/** Characters of a body or a response that a person is shown. */
const LONGEST_TEXT = 4_000;

/** The fields of a record under the names that the service uses. */
export const recordCard = (record: Item, title = `Delivery ${String(record.id)}`): Card => ({
  kind: "card",
  title,
  rows: Object.entries(record).map(([name, value]) => [name, cellOf(value)] as const),
});

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(cellOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A delivery, its attempts one by one, and its body. */
export function detailBlocks({ body, bodyBase64, attempts, ...record }: DeliveryDetail): readonly Block[] {
  const text =
    body ??
    `no UTF-8: ${Buffer.from(bodyBase64, "base64").length} bytes; claims webhooks deliveries body prints them`;
  return [
    recordCard(record),
    ...attempts.map(attemptBlock),
    { kind: "paragraph", title: "Body", lines: shortened(text) },
  ];
}

function attemptBlock(attempt: Attempt): Block {
  const { number, trigger, at, durationMs, headers, responseStatus, responseExcerpt, error } = attempt;
  const outcome = responseStatus === null ? (error?.code ?? "no answer") : String(responseStatus);
  const lines = [
    ...headers.map(([name, value]) => `  ${name}: ${value}`),
    ...(error ? ["", `  ${error.code}: ${error.detail}`] : []),
    ...(responseExcerpt ? ["", ...shortened(responseExcerpt).map((line) => `  ${line}`)] : []),
  ];
  const how = trigger === "resend" ? ", sent again by hand" : "";
  return {
    kind: "paragraph",
    title: `Attempt ${number}${how}: ${outcome} after ${durationInWords(durationMs)} at ${at}`,
    lines,
  };
}

function shortened(text: string): readonly string[] {
  const cut = text.length > LONGEST_TEXT;
  const lines = (cut ? text.slice(0, LONGEST_TEXT) : text).split(/\r?\n/);
  return cut ? [...lines, `… and ${text.length - LONGEST_TEXT} characters more`] : lines;
}
