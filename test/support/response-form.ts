import type { Exchange } from "../../src/contract/service-form/learn/samples.ts";
import { isRecord } from "../../src/domain/json.ts";

/** Names that grease adds and that are no identifiers, so that nothing keeps them. */
const UNKEPT =
  /^(@context|_links|x-trace\.id|schema version|ключ 🧾|line\nbreak||42|constructor|__proto__|unknown_\d)$/;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Headers that differ between two runs, or that say that a service is varied. */
const IGNORED_HEADERS =
  /^(date|content-length|connection|keep-alive|x-request-id|x-sandbox-grease|x-sandbox-like|etag|contract-version|host)$/i;

/** The form of a response: equal for two responses that differ in ids, times, amounts and unknown values only. */
export const toFormOf = ({ status, headers, body }: Exchange) => ({
  status,
  headers: headers
    .filter(([name]) => !IGNORED_HEADERS.test(name))
    .map(([name, value]) => [name, normalizeText(value)])
    .sort(),
  body: parseForm(body),
});

function parseForm(body: string): unknown {
  try {
    return normalize(JSON.parse(body));
  } catch {
    return normalizeText(body);
  }
}

function normalize(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => normalize(item));
  if (isRecord(value)) {
    const names = Object.keys(value)
      .filter((each) => each.toLowerCase() !== "x-sandbox-grease")
      .sort();
    const known = names.filter((each) => !UNKEPT.test(each));
    return Object.fromEntries([
      ...known.map((each) => [each, normalize(value[each], each)]),
      ["unknown fields", names.length - known.length],
    ]);
  }
  if (typeof value === "number") return /At$/.test(name) ? String(value).length : "a number";
  return typeof value === "string" ? normalizeString(value) : value;
}

function normalizeString(text: string): unknown {
  if (!text.startsWith("{")) return normalizeText(text);
  const payload = JSON.parse(text);
  return { payload: normalize(payload) };
}

const normalizeText = (text: string): string =>
  text
    .replace(UUID, "UUID")
    .replace(/127\.0\.0\.1:\d+/, "HOST")
    .replace(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/g, "TIME")
    .replace(/\b\d{10}\b/g, "SECONDS")
    .replace(/\b\d{13}\b/g, "MILLISECONDS")
    .replace(/\b[0-9a-f]{64}\b/g, "SHA256");
