import { Buffer } from "node:buffer";
import type { ApiResponse } from "../../client/http/response.ts";
import type { ReceivedResponse } from "../../contract/mapping/read.ts";
import { parseExactJson } from "../../domain/json.ts";
import type { Context } from "../context.ts";
import { readInput } from "../files/input-file.ts";

/** The body; after its head, as `curl -i` prints it, if an id may stand there: in `Location`. */
export function formatSavedResponse({
  status,
  headers,
  body,
}: Pick<ApiResponse, "status" | "headers" | "body">): Buffer {
  const { location } = headers;
  return location === undefined
    ? body
    : Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\nlocation: ${location}\r\n\r\n`), body]);
}

const MAX_RESPONSE_MIB = 1;
const HEAD = /^HTTP\/[\d.]+ \d{3}[^\n]*\n(.*?)\r?\n\r?\n/s;

/** @throws ClaimsError of kind `usage` if it cannot be read */
export async function readSavedResponse(context: Context, path: string): Promise<ReceivedResponse> {
  const text = (await readInput(context, path, MAX_RESPONSE_MIB)).toString("utf8");
  const head = HEAD.exec(text);
  if (!head) return { headers: {}, json: parseExactJson(text) };
  const [all, lines = ""] = head;
  const headers = lines
    .split(/\r?\n/)
    .map((line) => [line.replace(/:.*/s, "").toLowerCase(), line.replace(/^[^:]*:\s*/, "")]);
  return { headers: Object.fromEntries(headers), json: parseExactJson(text.slice(all.length)) };
}
