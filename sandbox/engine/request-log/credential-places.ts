import { Buffer } from "node:buffer";
import type { HeaderList } from "../../../src/domain/http-headers.ts";
import type { CredentialPlace } from "../../api/requests.ts";
import type { CapturedBody } from "./captured-body.ts";
import { firstHeaderValue, isEncoded } from "./logged-body.ts";
import { decodeEscapes, redactText } from "./redaction.ts";

/** A credential of this or another sandbox, by its prefix. */
const CREDENTIAL = /(?:sk|cs|at)_(sandbox|production)_[\w-]{8,}/;

/** Parameters whose only purpose is a credential, whatever its form. */
const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  "access_token",
  "api_key",
  "apikey",
  "client_secret",
  "x-api-key",
]);

type Environment = CredentialPlace["environment"];

/** Where a request has a credential: in two headers whatever their value is, elsewhere by its form. Call it unredacted. */
export function findCredentialPlaces(
  target: string,
  headers: HeaderList,
  body: CapturedBody | null,
): CredentialPlace[] {
  const [path = "", ...query] = target.split("?");
  return [
    ...headers.flatMap(findInHeader),
    ...findInText("path", null, path),
    ...findInPairs("query", new URLSearchParams(query.join("?"))),
    ...findInBody(headers, body),
  ];
}

function findInHeader([name, value]: readonly [string, string]): CredentialPlace[] {
  const header = name.toLowerCase();
  if (value.trim() === "") return [];
  if (header === "x-api-key") return [{ place: header, name: null, environment: findEnvironment(value) }];
  if (header !== "authorization") return findInText("header", redactText(header), value);
  const [, scheme, credential = value] = /^([\w-]+) +(.*)$/.exec(value) ?? [];
  const isBasic = scheme?.toLowerCase() === "basic";
  const secret = isBasic ? Buffer.from(credential, "base64").toString("latin1") : credential;
  return [{ place: header, name: scheme?.toLowerCase() ?? null, environment: findEnvironment(secret) }];
}

function findInBody(headers: HeaderList, body: CapturedBody | null): CredentialPlace[] {
  if (body === null || isEncoded(headers)) return [];
  if (body.fields) return findInPairs("body", body.fields);
  const text = body.bytes().toString("latin1");
  const isForm = firstHeaderValue(headers, "content-type") === "application/x-www-form-urlencoded";
  return isForm ? findInPairs("body", new URLSearchParams(text)) : findInText("body", null, text);
}

const findInPairs = (
  place: "query" | "body",
  pairs: Iterable<readonly [name: string, value: string]>,
): CredentialPlace[] =>
  [...pairs].flatMap(([name, value]): CredentialPlace[] => {
    const found = findInText(place, redactText(name), value);
    const isNamed = value !== "" && CREDENTIAL_PARAMETERS.has(name.toLowerCase());
    return found.length === 0 && isNamed ? [{ place, name: redactText(name), environment: null }] : found;
  });

const findInText = (place: CredentialPlace["place"], name: string | null, text: string): CredentialPlace[] =>
  CREDENTIAL.test(decodeEscapes(text)) ? [{ place, name, environment: findEnvironment(text) }] : [];

const findEnvironment = (text: string): Environment =>
  (CREDENTIAL.exec(decodeEscapes(text))?.[1] as "sandbox" | "production" | undefined) ?? null;
