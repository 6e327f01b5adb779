import { BROKER_ALIASES, missingPathParams } from "../../../src/contract/aliases.ts";
import { ALL_OPERATIONS } from "../../../src/contract/operations.ts";

const REDACTED = "[redacted]";

/** A secret wherever it stands, by how it begins: one of this sandbox, or one that somebody else made up like it. */
const SECRET = /(?:(?:sk|cs|at)_(?:sandbox|production)_|whsec_|(?<![A-Za-z0-9])(?:sk|cs|at)_)[\w-]{8,}/g;

/** Headers whose values are shown; of any other, the name alone. */
const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  ...[
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "allow",
    "cache-control",
    "connection",
  ],
  ...["content-disposition", "content-encoding", "content-language", "content-length", "content-type"],
  ...["contract-version", "date", "etag", "expect", "host", "idempotency-key", "idempotent-replayed"],
  ...["if-match", "if-none-match", "keep-alive", "link", "location", "pragma", "range", "ratelimit"],
  ...["ratelimit-policy", "retry-after", "sec-fetch-mode", "te", "transfer-encoding", "user-agent", "vary"],
  ...["www-authenticate", "x-request-id", "x-service-broker-alias", "x-service-canonical-path"],
  ...["x-service-compatibility-lifecycle", "x-sandbox-fault", "x-sandbox-grease"],
]);

/** Query parameters whose values are shown: those of the contract. */
const SHOWN_PARAMETERS: ReadonlySet<string> = new Set([
  ...ALL_OPERATIONS.flatMap(({ query }) => Object.keys(query?.properties ?? {})),
  ...BROKER_ALIASES.flatMap((alias) => missingPathParams(alias)),
]);

/** Form fields whose values are shown, of the one route that takes such a form. */
const SHOWN_FIELDS: ReadonlySet<string> = new Set(["grant_type", "client_id", "scope"]);

/** Members of JSON that hold a secret, whatever it looks like. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  ...["access_token", "refresh_token", "client_secret", "clientSecret", "signingSecret"],
  ...["apiKey", "api_key", "password", "secret", "token", "controlToken"],
]);

/** Text without secrets, also where they are written with escapes. */
export function redactText(text: string): string {
  const clean = text.replace(SECRET, REDACTED);
  for (const read of [decodePercent, unescapeJson]) {
    const plain = read(clean);
    if (plain.search(SECRET) >= 0) return redactText(plain);
  }
  return clean;
}

const decodePercent = (text: string): string =>
  text.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const unescapeJson = (text: string): string =>
  text.replace(/\\u00([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The scheme of a credential is no secret, nor are the last four characters of a long one. */
export function redactHeader(name: string, value: string): string {
  const header = name.toLowerCase();
  if (SHOWN_HEADERS.has(header)) return redactText(value);
  if (header !== "authorization") return REDACTED;
  const [, scheme = "", secret = ""] = /^(\w+) +(\S{24,}) *$/.exec(value) ?? [];
  if (scheme.toLowerCase() === "bearer") return `${scheme} ${REDACTED}…${secret.slice(-4)}`;
  // Four characters of Basic are three of the client's secret.
  return /^Basic /i.test(value) ? `Basic ${REDACTED}` : REDACTED;
}

/** Path and query. */
export function redactTarget(target: string): string {
  const [path = "", ...query] = target.split("?");
  const bare = redactText(path);
  return query.length === 0 ? bare : `${bare}?${redactPairs(query.join("?"), SHOWN_PARAMETERS)}`;
}

/** A form body. */
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

/** A JSON body, written anew only where something in it is not shown; also one that was cut off or is none. */
export function redactJson(text: string): string {
  let hidden = false;
  try {
    const value: unknown = JSON.parse(text, (name, member: unknown) => {
      if (!SECRET_MEMBERS.has(name) || member === null || typeof member === "object") return member;
      hidden = true;
      return REDACTED;
    });
    return redactText(hidden ? JSON.stringify(value) : text);
  } catch {
    return redactText(
      text.replace(BROKEN_MEMBER, (all, head: string, name: string) =>
        SECRET_MEMBERS.has(name) ? `${head}"${REDACTED}"` : all,
      ),
    );
  }
}

/** A member whose value is a text, which may have been cut off. */
const BROKEN_MEMBER = /("([^"\\]*)"\s*:\s*)"(?:[^"\\]|\\.)*"?/gs;
