import { HOP_BY_HOP } from "../../../../client/hop-by-hop.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../input-file.ts";
import type { Header } from "../intake/delivery.ts";
import { parseHeaderLines } from "../intake/header-lines.ts";
import { parseSentHeader } from "../send/headers.ts";

/** What the cases themselves are made of, or the connection. */
const OURS = /^(x-service-(event|timestamp|signature)|content-(type|length)|host)$/;

/**
 * The headers that go along with every delivery. What holds a secret comes from a file: `@headers.txt`.
 *
 * @throws ClaimsError `usage`
 */
export async function addedHeaders(context: Context, given: readonly string[]): Promise<readonly Header[]> {
  const added: Header[] = [];
  for (const text of given) {
    if (text.startsWith("@")) added.push(...(await headersIn(context, text.slice(1))));
    else added.push(parseSentHeader(text));
  }
  for (const [name] of added) refuseOurs(name.toLowerCase());
  return added;
}

async function headersIn(context: Context, file: string): Promise<readonly Header[]> {
  const headers = parseHeaderLines((await readInput(context, file)).toString("utf8"), file);
  const odd = headers.find(([, value]) => /[^\t\x20-\x7e]/.test(value));
  if (!odd) return headers;
  throw new ClaimsError("usage", "invalid_header", `the header ${odd[0]} in ${file} is no header`, {
    hint: "write its value in visible ASCII characters",
  });
}

function refuseOurs(name: string): void {
  if (!OURS.test(name) && !HOP_BY_HOP.has(name)) return;
  throw new ClaimsError("usage", "header_refused", `the header ${name} is set by the probe`, {
    hint: "leave it out; --event names the event",
  });
}
