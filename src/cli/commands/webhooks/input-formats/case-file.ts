import { Buffer } from "node:buffer";
import { MIN_SECRET_LENGTH } from "../../../../client/auth/credential.ts";
import { isRecord } from "../../../../domain/json.ts";
import { CAUSES, type CauseId } from "../../../../domain/webhooks/explain/causes.ts";
import type { Explanation } from "../../../../domain/webhooks/explain/explain.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { inputError, parseJson, type ReceivedDelivery } from "./delivery.ts";
import { headersFromObject } from "./headers.ts";

/** What the writer of a case file found. */
export interface CaseFinding {
  readonly verdict: string;
  readonly causes: readonly CauseId[];
  /** Of the secrets that the writer has. */
  readonly fingerprints: readonly string[];
}

/** A delivery that a partner sent on, with what was found where it came from. */
export interface CaseFile {
  readonly delivery: ReceivedDelivery;
  readonly finding: CaseFinding;
}

const VERSION = 1;

/** Headers that say something of a signature; any other may be a credential. */
const KEPT_HEADERS =
  /^(x-service-(event|timestamp|signature)|content-(type|length|encoding)|transfer-encoding)$/i;

/** What looks like a secret of this API wherever it stands. */
const SECRET_PATTERN = /\b(?:whsec|sk|cs)_[\w-]{16,}/;

/**
 * The case as a file that can be sent on: the body, the headers that matter, the finding, and of each secret its
 * fingerprint alone. A body that holds a secret cannot be sent on as it is, and changed it would prove nothing.
 */
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
      "the delivery holds what looks like a secret, so no case file was written",
      "show it to nobody; reproduce the fault with a test event",
    );
  const finding: CaseFinding = {
    verdict,
    causes: causes.map(({ id }) => id),
    fingerprints: secrets.map(fingerprint),
  };
  return `${JSON.stringify({ claimsCase: VERSION, headers: kept, bodyBase64: body.toString("base64"), finding }, null, 2)}\n`;
}

/** @throws ClaimsError `unusable_input` */
export function parseCaseFile(bytes: Buffer, shownAs: string): CaseFile {
  const found = parseJson(bytes, shownAs);
  if (
    !isRecord(found) ||
    found.claimsCase !== VERSION ||
    typeof found.bodyBase64 !== "string" ||
    !isRecord(found.finding)
  )
    throw inputError(`${shownAs} is no case file`, "make one with claims webhooks verify … --case-file FILE");
  const { verdict, causes, fingerprints } = found.finding;
  return {
    delivery: { headers: readHeaders(found.headers), body: Buffer.from(found.bodyBase64, "base64") },
    finding: {
      verdict: String(verdict),
      causes: onlyStrings(causes).filter((id): id is CauseId => Object.hasOwn(CAUSES, id)),
      fingerprints: onlyStrings(fingerprints),
    },
  };
}

const onlyStrings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

const readHeaders = (value: unknown): ReceivedDelivery["headers"] =>
  (Array.isArray(value) ? value : []).flatMap((pair: unknown) => {
    const [name, text] = onlyStrings(pair);
    return name === undefined ? [] : (headersFromObject({ [name]: text ?? "" }) ?? []);
  });
