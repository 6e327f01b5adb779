import { type Buffer, isUtf8 } from "node:buffer";
import { type HeaderList, headerValues } from "../../../src/domain/http-headers.ts";
import type { LoggedBody } from "../../api/requests.ts";
import { CapturedBody } from "./captured-body.ts";
import { redactBytes, redactForm, redactJson, redactText } from "./redaction.ts";

/** Returns the first value of a header, in lower case and without parameters; empty if the header is absent. */
export const firstHeaderValue = (headers: HeaderList, name: string): string =>
  headerValues(headers, name)[0]?.replace(/;.*$/s, "").trim().toLowerCase() ?? "";

export function toLoggedBody(body: CapturedBody | string, headers: HeaderList): LoggedBody {
  const captured = typeof body === "string" ? CapturedBody.fromText(body) : body;
  const { size } = captured;
  const bytes = captured.bytes();
  const fields =
    captured.fields?.map(([name, value]) => [redactText(name), redactText(value)] as const) ?? null;
  const isEvicted = bytes.length === 0 && size > 0;
  if (isEvicted || isEncoded(headers)) return { size, text: null, base64: null, truncated: size > 0, fields };
  const truncated = bytes.length < size;
  const content = redactContent(bytes, firstHeaderValue(headers, "content-type"), truncated);
  return { size, ...content, truncated, fields };
}

/** The log does not decompress a body, and so cannot search it for secrets. */
export const isEncoded = (headers: HeaderList): boolean =>
  !["", "identity"].includes(firstHeaderValue(headers, "content-encoding"));

function redactContent(
  bytes: Buffer,
  type: string,
  isTruncated: boolean,
): Pick<LoggedBody, "text" | "base64"> {
  const whole = isTruncated ? trimPartialCharacter(bytes) : bytes;
  if (!isUtf8(whole)) return { text: null, base64: redactBytes(bytes).toString("base64") };
  const text = whole.toString();
  if (type === "application/x-www-form-urlencoded") return { text: redactForm(text), base64: null };
  return { text: /[/+]json$/.test(type) ? redactJson(text) : redactText(text), base64: null };
}

/** A truncated body may end in the middle of a character. */
const trimPartialCharacter = (bytes: Buffer): Buffer =>
  [0, 1, 2, 3].map((count) => bytes.subarray(0, bytes.length - count)).find((trimmed) => isUtf8(trimmed)) ??
  bytes;
