import { Buffer } from "node:buffer";
import { MIN_SECRET_LENGTH } from "../../../../client/auth/credential.ts";
import { isRecord, parseJsonText, valueAt } from "../../../../domain/json.ts";
import { CAUSES, type CauseId } from "../../../../domain/webhooks/explain/causes.ts";
import type { Explanation } from "../../../../domain/webhooks/explain/explain-signature.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { inputError, type ReceivedDelivery } from "../../../../domain/webhooks/input-formats/delivery.ts";
import { readAllPairs } from "../../../../domain/webhooks/input-formats/header-notation.ts";

export type CaseFinding = ReturnType<typeof parseCaseFile>["caseFinding"];

const VERSION = 1;

/** Headers that matter to a signature; any other can be a credential. */
const KEPT_HEADERS =
  /^(x-service-(event|timestamp|signature)|content-(type|length|encoding)|transfer-encoding)$/i;

const SECRET_PATTERN = /\b(?:whsec|sk|cs)_[\w-]{16,}/;

/** To send to someone else. Refuses a body that holds a secret: a changed one would prove nothing. */
export function renderCaseFile(
  { headers, body }: ReceivedDelivery,
  secrets: readonly string[],
  { verdict, causes }: Explanation,
): string {
  const kept = headers.filter(([name]) => KEPT_HEADERS.test(name));
  const text = `${body.toString("latin1")}\n${kept.flat().join("\n")}`;
  const containsSecret = secrets.some(
    (secret) => secret.length >= MIN_SECRET_LENGTH && text.includes(Buffer.from(secret).toString("latin1")),
  );
  if (containsSecret || SECRET_PATTERN.test(text))
    throw inputError(
      "the delivery seems to hold a secret, so no case file was written",
      "do not send the delivery to anyone; reproduce the fault with a test event",
    );
  const fingerprints = secrets.map(fingerprint);
  const finding: CaseFinding = { verdict, causes: causes.map(({ id }) => id), fingerprints };
  const content = { claimsCase: VERSION, headers: kept, bodyBase64: body.toString("base64"), finding };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Looks at the beginning: every case file has its version first. */
export const isCaseFile = (bytes: Buffer): boolean =>
  /^\s*\{\s*"claimsCase"/.test(bytes.toString("latin1", 0, 256));

/** @throws ClaimsError `invalid_input` */
export function parseCaseFile(bytes: Buffer, displayName: string) {
  const content = parseJsonText(bytes.toString("utf8"));
  const finding = valueAt(content, "finding");
  const body = valueAt(content, "bodyBase64");
  if (valueAt(content, "claimsCase") !== VERSION || typeof body !== "string" || !isRecord(finding))
    throw inputError(
      `${displayName} is not a case file`,
      "write one with claims webhooks verify FILE --case-file CASE",
    );
  return {
    headers: readAllPairs(valueAt(content, "headers")) ?? [],
    body: Buffer.from(body, "base64"),
    caseFinding: {
      verdict: String(finding.verdict),
      causes: stringsOf(finding.causes).filter((id): id is CauseId => Object.hasOwn(CAUSES, id)),
      /** Of the secrets that the writer of the file had. */
      fingerprints: stringsOf(finding.fingerprints),
    },
  };
}

const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
