import { HOP_BY_HOP_HEADERS } from "../../../client/http/hop-by-hop.ts";
import { usageError } from "../../../domain/errors.ts";
import type { HeaderList } from "../../../domain/webhooks/headers.ts";
import type { HeaderPair } from "../../../domain/webhooks/input-formats/delivery.ts";
import { parseHeaderLines } from "../../../domain/webhooks/input-formats/http-request.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../files/input-file.ts";
import { isVisibleAscii, splitHeader } from "../../framework/values.ts";

const VISIBLE_TO_OTHERS = "others on this machine can see the words of a command line";

const REFUSED_HEADERS: Readonly<Record<string, string>> = {
  authorization: VISIBLE_TO_OTHERS,
  "content-length": "it is the length of the body",
  cookie: VISIBLE_TO_OTHERS,
  host: "it is the host of the URL",
  "x-api-key": VISIBLE_TO_OTHERS,
};

/** Parses `Name: value`. @throws ClaimsError `usage`, without the value, which can be a secret */
export function parseHeaderOption(text: string): HeaderPair {
  const { name, value, isValid } = splitHeader(text);
  if (!isValid)
    throw usageError("option_invalid", `invalid --header ${name || "without a name"}`, {
      hint: "write --header 'Name: value', in visible ASCII characters",
    });
  const lower = name.toLowerCase();
  const hint = HOP_BY_HOP_HEADERS.has(lower) ? "it belongs to the connection" : REFUSED_HEADERS[lower];
  if (hint === undefined) return [name, value];
  throw usageError("option_invalid", `the header ${name} cannot be set`, { hint });
}

/** Headers that the probe sets, in addition to those of the connection. */
const PROBE_HEADERS = /^(x-service-(event|timestamp|signature)|content-(type|length)|host)$/;

/** `Name: value`, or `@file` for headers that hold a secret. @throws ClaimsError `usage` */
export async function readHeaderOptions(context: Context, texts: readonly string[]): Promise<HeaderList> {
  const added: HeaderPair[] = [];
  for (const text of texts) {
    if (text.startsWith("@")) added.push(...(await readHeaderFile(context, text.slice(1))));
    else added.push(parseHeaderOption(text));
  }
  for (const [name] of added)
    if (PROBE_HEADERS.test(name.toLowerCase()) || HOP_BY_HOP_HEADERS.has(name.toLowerCase()))
      throw usageError("option_invalid", `the probe sets the header ${name.toLowerCase()}`, {
        hint: "leave it out; --event names the event",
      });
  return added;
}

async function readHeaderFile(context: Context, file: string): Promise<HeaderList> {
  const headers = parseHeaderLines((await readInput(context, file)).toString("utf8"), file);
  const invalid = headers.find(([, value]) => !isVisibleAscii(value));
  if (!invalid) return headers;
  const hint = "write its value in visible ASCII characters";
  throw usageError("option_invalid", `invalid header ${invalid[0]} in ${file}`, { option: "--header", hint });
}
