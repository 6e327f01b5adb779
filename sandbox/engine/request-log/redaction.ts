import { BROKER_ALIASES, missingPathParams } from "../../../src/contract/aliases.ts";
import { ALL_OPERATIONS } from "../../../src/contract/operations.ts";

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

/** The query parameters of the contract. */
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

/** Removes secrets, also those that are written with escapes. */
export function redactText(text: string): string {
  const clean = text.replace(SECRET, REDACTED);
  for (const pattern of ESCAPES) {
    const plain = decodeEscape(clean, pattern);
    if (plain.search(SECRET) >= 0) return redactText(plain);
  }
  return clean;
}

/** The ASCII characters that a URL or JSON may write as an escape. */
const ESCAPES = [/%([2-7][0-9a-f])/gi, /\\u00([2-7][0-9a-f])/gi];

const decodeEscape = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Decodes what a URL or JSON may write as an escape. */
export const decodeEscapes = (text: string): string => ESCAPES.reduce(decodeEscape, text);

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

/** Keeps the text of a JSON body without secrets. It also takes a truncated body. */
export function redactJson(text: string): string {
  let isRedacted = false;
  try {
    const value: unknown = JSON.parse(text, (name, member: unknown) => {
      if (!SECRET_MEMBERS.has(name) || member === null || typeof member === "object") return member;
      isRedacted = true;
      return REDACTED;
    });
    return redactText(isRedacted ? JSON.stringify(value) : text);
  } catch {
    return redactText(
      text.replace(BROKEN_MEMBER, (all, head: string, name: string) =>
        SECRET_MEMBERS.has(name) ? `${head}"${REDACTED}"` : all,
      ),
    );
  }
}

/** A member with a string value, which may be truncated. */
const BROKEN_MEMBER = /("([^"\\]*)"\s*:\s*)"(?:[^"\\]|\\.)*"?/gs;
