import { Buffer } from "node:buffer";
import { BROKER_ALIASES, missingPathParams } from "../../../src/contract/aliases.ts";
import { ALL_OPERATIONS } from "../../../src/contract/operations/operations.ts";
import { isRecord } from "../../../src/domain/json.ts";

const REDACTED = "[redacted]";

/** Recognizes secrets of this and similar sandboxes by their prefix. */
const SECRET = /(?:(?:sk|cs|at)_(?:sandbox|production)_|whsec_|(?<![A-Za-z0-9])(?:sk|cs|at)_)[\w-]{8,}/g;

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** The log shows the values of these headers, and only the names of others. */
const SHOWN_HEADERS = words(`
  accept accept-charset accept-encoding accept-language allow cache-control connection content-disposition
  content-encoding content-language content-length content-type contract-version date etag expect host
  idempotency-key idempotent-replayed if-match if-none-match keep-alive link location pragma range ratelimit
  ratelimit-policy retry-after sec-fetch-mode te transfer-encoding user-agent vary www-authenticate x-request-id
  x-service-broker-alias x-service-canonical-path x-service-compatibility-lifecycle x-sandbox-fault x-sandbox-grease
`);

const SHOWN_PARAMETERS: ReadonlySet<string> = new Set([
  ...ALL_OPERATIONS.flatMap(({ query }) => Object.keys(query?.properties ?? {})),
  ...BROKER_ALIASES.flatMap((alias) => missingPathParams(alias)),
]);

/** Fields of the token route, the only one that takes such a form. */
const SHOWN_FIELDS = words("grant_type client_id scope");

/** JSON members whose values are secret, whatever they look like. */
const SECRET_MEMBERS = words(`
  access_token refresh_token client_secret clientSecret signingSecret apiKey api_key password secret token controlToken
`);

/** Replaces each secret, also one that is written with escapes. Every other character stays. */
export function redactText(text: string): string {
  if (text.search(ESCAPE) < 0) return text.replace(SECRET, REDACTED);
  const { plain, starts } = decode(text);
  let [clean, end] = ["", 0];
  for (const { 0: secret, index } of plain.matchAll(SECRET)) {
    clean += text.slice(end, starts[index]) + REDACTED;
    end = starts[index + secret.length] ?? text.length;
  }
  // The beginning of a secret may look like the end of an escape: `%2cs_sandbox_…`.
  return (clean + text.slice(end)).replace(SECRET, REDACTED);
}

/** Keeps bytes that are not UTF-8. */
export const redactBytes = (bytes: Buffer): Buffer =>
  Buffer.from(redactText(bytes.toString("latin1")), "latin1");

/** Redacts each text of a model, which a page then only escapes: finished HTML must not change. */
export function redactModel<Model>(model: Model): Model {
  const redact = (value: unknown): unknown => {
    if (typeof value === "string") return redactText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, redact(member)]));
  };
  return redact(model) as Model;
}

/** Decodes what a URL or JSON may write as an escape, and escapes within escapes. */
export const decodeEscapes = (text: string): string => decode(text).plain;

/** An escape of a URL or of JSON, also within escapes of its own kind: `%2573`, `\\u0073`. */
const ESCAPE = /%(?:25)*([0-9a-f]{2})|(?<!\\)\\+u([0-9a-f]{4})/gi;

/** How often the kinds may alternate, as in JSON in a URL in JSON. */
const MAX_LAYERS = 8;

function decode(text: string): { readonly plain: string; readonly starts: readonly number[] } {
  let plain = text;
  let starts = Array.from({ length: plain.length }, (_, at) => at);
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const isInside = new Uint8Array(plain.length);
    const next = plain.replace(ESCAPE, (whole: string, percent?: string, unicode = "", at = 0) => {
      isInside.fill(1, at + 1, at + whole.length);
      return String.fromCharCode(Number.parseInt(percent ?? unicode, 16));
    });
    if (next.length === plain.length) break;
    starts = starts.filter((_, at) => !isInside[at]);
    plain = next;
  }
  return { plain, starts };
}

/** Shows the scheme of a credential, and the last four characters of a long bearer token. */
export function redactHeader(name: string, value: string): string {
  const header = name.toLowerCase();
  if (SHOWN_HEADERS.has(header)) return redactText(value);
  if (header !== "authorization") return REDACTED;
  const [, scheme = "", secret = ""] = /^(\w+) +(\S{24,}) *$/.exec(value) ?? [];
  if (scheme.toLowerCase() === "bearer") return `${scheme} ${REDACTED}…${secret.slice(-4)}`;
  // Four characters of Basic are three of the client secret.
  return /^Basic /i.test(value) ? `Basic ${REDACTED}` : REDACTED;
}

export function redactTarget(target: string): string {
  const [path = "", ...query] = target.split("?");
  const bare = redactText(path);
  return query.length === 0 ? bare : `${bare}?${redactPairs(query.join("?"), SHOWN_PARAMETERS)}`;
}

export const redactForm = (text: string): string => redactPairs(text, SHOWN_FIELDS);

function redactPairs(text: string, shown: ReadonlySet<string>): string {
  const pairs = text.split("&").map((pair) => {
    const at = pair.indexOf("=");
    if (at < 0) return pair === "" || shown.has(pair) ? pair : REDACTED;
    const name = redactText(pair.slice(0, at));
    return `${name}=${shown.has(name) ? redactText(pair.slice(at + 1)) : REDACTED}`;
  });
  return pairs.join("&");
}

export const redactJson = (text: string): string =>
  redactText(
    text.replace(STRING_OR_MEMBER, (all, name: string, separator = "", value = "null") =>
      value !== "null" && SECRET_MEMBERS.has(decodeEscapes(name.replaceAll('"', "")))
        ? `${name}${separator}"${REDACTED}"`
        : all,
    ),
  );

/** A string, and if it is the name of a member with a scalar value, that value. */
const STRING_OR_MEMBER = /("(?:[^"\\]|\\.)*"?)(?:(\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s",:[\]{}]+))?/gs;
