import type { Explanation } from "../../../../domain/webhooks/explain/explain.ts";
import { headerValues, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import type { LoggedDelivery } from "../../../../domain/webhooks/input-formats/find-deliveries.ts";
import { ESCAPES_FACT, NUMBERS_FACT, WHITE_SPACE_FACT } from "../../../../domain/webhooks/separators.ts";
import { parseTimestamp } from "../../../../domain/webhooks/timestamp.ts";
import type { TriagedDelivery } from "../../../../domain/webhooks/triage.ts";

/** Fields that follow from the result, that are different in each record, or that may be a credential. */
const LEFT_OUT =
  /status|level|severity|response|(?:^|[._ -])(?:res|resp|reply|err|error|msg|message|duration|elapsed|latency|took|time|ts|timestamp|date|outcome|result|ok|success|body|id|uuid|ray|trace|span|nonce)(?:[._ -]|$)|error|valid|accepted|refused|(?:epoch|_at|At|Id|ID|Time|Ms|bytes|length|signature)$|authorization|cookie|token|secret|password|api-?key/i;

/** What triage keeps of a verified delivery. */
export function toTriaged(
  source: string,
  { headers, body, receivedAt, status, facts }: LoggedDelivery,
  { verdict, causes }: Explanation,
): TriagedDelivery {
  const signedAt = parseTimestamp(headerValues(headers, TIMESTAMP_HEADER)[0] ?? "");
  return {
    source,
    verdict,
    causes: causes.map(({ id, certainty }) => `${id} (${certainty})`).sort(),
    time: receivedAt ?? findTimeNear(facts, signedAt) ?? signedAt,
    clockOffset: receivedAt === null || signedAt === null ? null : Math.round((receivedAt - signedAt) / 1000),
    status,
    bodyBytes: body.length,
    facts: new Map([...listFields(facts), ...listHeaderFacts(headers), ...listBodyFacts(body)]),
  };
}

const MS_BEFORE = 10 * 60_000;
const MS_AFTER = 7 * 86_400_000;

/** The earliest time of the record that can be that of the receipt, under whatever name. */
function findTimeNear(facts: ReadonlyMap<string, string>, signedAt: number | null): number | null {
  if (signedAt === null) return null;
  const times = [...facts.values()].flatMap((text) => parseTimestamp(text) ?? []);
  const near = times.filter((time) => time > signedAt - MS_BEFORE && time < signedAt + MS_AFTER);
  return near.length > 0 ? Math.min(...near) : null;
}

/** Without its query, which can hold a secret. */
const removeQuery = (text: string): string => text.replace(/(?<=[/\w])[?#].*$/s, "");

function* listFields(facts: ReadonlyMap<string, string>): Generator<[string, string]> {
  for (const [name, text] of facts) if (!LEFT_OUT.test(name)) yield [name, removeQuery(text)];
}

function* listHeaderFacts(headers: LoggedDelivery["headers"]): Generator<[string, string]> {
  for (const [name, value] of headers)
    if (!LEFT_OUT.test(name)) yield [`header ${name.toLowerCase()}`, removeQuery(value)];
  const [forwarded] = headerValues(headers, "x-forwarded-for");
  if (forwarded) yield ["last proxy", forwarded.split(",").at(-1)?.trim() ?? ""];
}

/** What receivers stumble over. */
function* listBodyFacts(body: Buffer): Generator<[string, string]> {
  const text = body.toString("utf8");
  const has = (pattern: RegExp): string => (pattern.test(text) ? "yes" : "no");
  yield ["a body with characters beyond ASCII", has(/[^\0-\x7f]/)];
  yield [ESCAPES_FACT, has(/\\[u/]/)];
  yield [NUMBERS_FACT, has(/[:[,]\s*-?\d+(?:\.\d*0|[eE][+-]?\d+|\.\d+[eE][+-]?\d+)\s*[,}\]]/)];
  yield [WHITE_SPACE_FACT, has(/^[[{]\s|",\s|":\s/)];
}
