import type { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { type HeaderList, headerValues } from "../../http-headers.ts";
import { isTextTooDeep, parseJsonText } from "../../json.ts";
import { TIMESTAMP_HEADER } from "../headers.ts";
import { literalToJson, unescapeLiteral } from "./body-encodings.ts";
import { type Cause, type CauseId, createCause, isProved } from "./causes.ts";
import { listNumbers, splitAtGaps } from "./evidence.ts";
import type { Explanation } from "./explain-signature.ts";

interface Delivery {
  readonly headers: HeaderList;
  readonly body: Buffer;
}

/**
 * Of two deliveries with one signature, the one that verifies was signed. The other one is a copy of it, cut or printed again, or
 * uses its signature for other content.
 *
 * @param signed a delivery with the same signature that verifies, if there is one
 */
export function explainReuse(
  explanation: Explanation,
  delivery: Delivery,
  signed: (Delivery & { readonly source: string }) | undefined,
): Explanation {
  const { verdict, computed, causes } = explanation;
  const isKnown = computed !== null || isProved(explanation);
  if (signed === undefined || verdict !== "mismatch" || isKnown) return explanation;
  const reused = `${signed.source} has the same signature and another body or timestamp, and verifies`;
  const copied = `${signed.source} has the body of this delivery as it was signed, and verifies`;
  const cause =
    findCopyFault(delivery, signed, causes, copied) ?? createCause("signature.reused", "proved", reused);
  return { ...explanation, causes: [cause] };
}

/** What leaves out a part of a body. */
const OF_GAPS: readonly CauseId[] = ["body.truncated", "body.replaced_characters"];

/** Null for other content. @param causes that the copy alone shows */
function findCopyFault(
  copy: Delivery,
  signed: Delivery,
  causes: readonly Cause[],
  evidence: string,
): Cause | null {
  const [time, signedTime] = [copy, signed].map(({ headers }) => headerValues(headers, TIMESTAMP_HEADER)[0]);
  const [text, whole] = [copy.body.toString(), signed.body.toString()];
  const own = causes.find(({ id }) => id.startsWith("body.") && id !== "body.changed");
  const hasGaps = own !== undefined && OF_GAPS.includes(own.id);
  const value = parse(text);
  const isPrinted = value !== undefined && isDeepStrictEqual(value, parse(whole));
  if (time !== signedTime || !(isPrinted || (hasGaps && hasEntriesOf(text, whole)))) return null;
  const [numbers, signedNumbers] = [text, whole].map((json) => listNumbers(json).toSorted());
  const printed = isDeepStrictEqual(numbers, signedNumbers) ? "body.reserialized" : "body.number_reprinted";
  return createCause(own?.id ?? printed, "proved", evidence, own?.actor);
}

const parse = (text: string): unknown =>
  isTextTooDeep(text) ? undefined : parseJsonText(literalToJson(text) ?? text);

/** The names and values of JSON, also of a part of it, without what printers add between them. */
const toEntries = (text: string): string =>
  unescapeLiteral(text)
    .replace(/\s/g, "")
    .replace(/[,{}[\]]+/g, ",");

/** Each entry reads the whole text. */
const MAX_COMPARED = 1_000;

/** Whether the text has each entry of a cut copy, however it is printed. */
function hasEntriesOf(copy: string, whole: string): boolean {
  const all = toEntries(whole) + toEntries(JSON.stringify(parse(whole)) ?? "");
  const entries = splitAtGaps(copy).flatMap((piece) => toEntries(piece).split(/(?<=,)/));
  // Without a quote, it is what a log says of the gap.
  return entries.slice(0, MAX_COMPARED).every((entry) => !entry.includes('"') || all.includes(entry));
}
