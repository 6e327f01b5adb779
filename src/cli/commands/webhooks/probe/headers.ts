import { HOP_BY_HOP_HEADERS } from "../../../../client/http/hop-by-hop.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import type { HeaderPair } from "../input-formats/delivery.ts";
import { parseHeaderLines } from "../input-formats/headers.ts";
import { parseHeaderOption } from "../send/headers.ts";

/** What the cases themselves are made of, or the connection. */
const RESERVED_HEADERS = /^(x-service-(event|timestamp|signature)|content-(type|length)|host)$/;

/**
 * The headers that go along with every delivery. What holds a secret comes from a file: `@headers.txt`.
 *
 * @throws ClaimsError `usage`
 */
export async function readAddedHeaders(
  context: Context,
  given: readonly string[],
): Promise<readonly HeaderPair[]> {
  const added: HeaderPair[] = [];
  for (const text of given) {
    if (text.startsWith("@")) added.push(...(await readHeaderFile(context, text.slice(1))));
    else added.push(parseHeaderOption(text));
  }
  for (const [name] of added) refuseReserved(name.toLowerCase());
  return added;
}

async function readHeaderFile(context: Context, file: string): Promise<readonly HeaderPair[]> {
  const headers = parseHeaderLines((await readInput(context, file)).toString("utf8"), file);
  const odd = headers.find(([, value]) => /[^\t\x20-\x7e]/.test(value));
  if (!odd) return headers;
  throw new ClaimsError("usage", "invalid_header", `the header ${odd[0]} in ${file} is no header`, {
    hint: "write its value in visible ASCII characters",
  });
}

function refuseReserved(name: string): void {
  if (!RESERVED_HEADERS.test(name) && !HOP_BY_HOP_HEADERS.has(name)) return;
  throw new ClaimsError("usage", "header_refused", `the header ${name} is set by the probe`, {
    hint: "leave it out; --event names the event",
  });
}
