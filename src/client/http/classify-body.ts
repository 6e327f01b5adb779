import { type Buffer, isUtf8 } from "node:buffer";
import { unreachableError } from "../../domain/errors.ts";
import { isRecord, parseExactJson, parseJsonText } from "../../domain/json.ts";
import { findUnknownCharset } from "./decode-body.ts";

/** What the body of a response is. The content type is only evidence: frameworks send JSON as `text/html`, too. */
export interface ClassifiedBody {
  readonly kind: "empty" | "object" | "json" | "page" | "text" | "binary";
  /** As in `a web page with the title "Log in"`. */
  readonly text: string;
}

interface DescribedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function classifyBody({ status, headers, body }: DescribedResponse): ClassifiedBody {
  const charset = findUnknownCharset(headers);
  if (charset !== null) return { kind: "binary", text: describeCharset(charset) };
  if (!isUtf8(body) || body.includes(0)) return { kind: "binary", text: `a body of ${body.length} bytes` };
  const text = body.toString("utf8");
  if (text.trim() === "") return { kind: "empty", text: `an empty response (${status})` };
  const document = parseJsonText(text);
  if (isRecord(document)) return { kind: "object", text: "a JSON object" };
  if (document !== undefined) return { kind: "json", text: "JSON that is not an object" };
  const isPage = /html/i.test(headers["content-type"] ?? "") || /^\s*<(!doctype )?html\b/i.test(text);
  if (!isPage) return { kind: "text", text: "text that is not JSON" };
  const title = readPageTitle(text);
  return {
    kind: "page",
    text: `a web page ${title === null ? "without a title" : `with the title "${title}"`}`,
  };
}

/** The value of a JSON body; undefined for any other, and for text in an unknown charset. */
export const parseJsonBody = ({ headers, body }: Omit<DescribedResponse, "status">): unknown =>
  findUnknownCharset(headers) === null ? parseExactJson(body.toString("utf8")) : undefined;

/** @throws ClaimsError `unexpected_response` for text in an unknown charset */
export function requireKnownCharset({ headers }: Pick<DescribedResponse, "headers">, what: string): void {
  const charset = findUnknownCharset(headers);
  if (charset === null) return;
  throw unreachableError("unexpected_response", `${what} is ${describeCharset(charset)}`, {
    hint: "ask the service for UTF-8; `claims api GET` shows the bytes",
  });
}

const describeCharset = (charset: string): string =>
  `text in the charset "${charset}", which this program cannot read`;

/** A title stands near the start. */
const MAX_HEAD_CHARACTERS = 16_384;
const MAX_TITLE_CHARACTERS = 200;

const HTML_ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

const unescapeHtml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => HTML_ENTITIES[name] ?? "");

/** The title of an HTML page on one line; null if it has none. */
function readPageTitle(html: string): string | null {
  const [, title = ""] = /<title[^>]*>([^<]*)</i.exec(html.slice(0, MAX_HEAD_CHARACTERS)) ?? [];
  const line = unescapeHtml(title).replace(/\s+/g, " ").trim();
  if (line === "") return null;
  return line.length > MAX_TITLE_CHARACTERS ? `${line.slice(0, MAX_TITLE_CHARACTERS)}…` : line;
}
