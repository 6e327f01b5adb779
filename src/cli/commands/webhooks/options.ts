import { HOP_BY_HOP_HEADERS } from "../../../client/http/hop-by-hop.ts";
import { usageError } from "../../../domain/errors.ts";
import { isLoopback } from "../../../domain/net.ts";
import type { HeaderList } from "../../../domain/webhooks/headers.ts";
import type { HeaderPair } from "../../../domain/webhooks/input-formats/delivery.ts";
import { parseHeaderLines } from "../../../domain/webhooks/input-formats/http-request.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../files/input-file.ts";
import { type OptionSpecs, type OptionValues, SERVICE_OPTIONS } from "../../framework/options.ts";
import { isVisibleAscii, parseHeader, parseSecretFile } from "../../framework/values.ts";

/** A signing secret is never the value of an option: `ps` shows those. */
export const secretOptions = {
  secretFile: {
    value: "file",
    parse: (text: string) => parseSecretFile(text, "--secret-file"),
    repeats: true,
    help: "file that holds only the signing secret; may repeat",
    variable: "CLAIMS_WEBHOOK_SECRET_FILE",
  },
  secretStdin: { help: "read the signing secret from stdin" },
  profile: {
    ...SERVICE_OPTIONS.profile,
    help: "profile with the signing secret, if no option or variable gives one",
  },
} as const satisfies OptionSpecs;

/** For commands that sign. */
export const singleSecretOptions = {
  ...secretOptions,
  secretFile: { ...secretOptions.secretFile, help: "file that holds only the signing secret" },
} as const satisfies OptionSpecs;

/** For receivers, which are not the service: its authority comes from the profile. */
export const receiverCaOption = {
  value: "file",
  help: "trust this certificate authority of the receiver, PEM",
} as const;

export type SecretOptions = OptionValues<typeof secretOptions> & { readonly dotenv?: string | undefined };

/** The service's prefixes have 12 characters. Longer text could be the secret, which is never the value of an option. */
const MAX_PREFIX_LENGTH = 16;

/** @throws ClaimsError `usage` */
export function parseSecretPrefix(text: string): string {
  if (text.length > 0 && text.length <= MAX_PREFIX_LENGTH) return text;
  throw usageError("option_invalid", `a secretPrefix has at most ${MAX_PREFIX_LENGTH} characters`, {
    hint: "copy it from the list of endpoints; a secret goes into --secret-file",
  });
}

/** The URL of a receiver. Refuses a name and a password: other users of the machine could read them. */
export function parseTarget(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) {
    url.hash = "";
    return url.href;
  }
  throw usageError("option_invalid", "a target must be http(s)://host[:port]/path", {
    hint: "for example http://localhost:3000/hook; without user name and password",
  });
}

/** Refuses a target that is the listener itself. @throws ClaimsError `usage` */
export function refuseForwardLoop(target: string, listener: string): void {
  const { href, hostname, port } = new URL(target);
  if (isLoopback(hostname) && port === new URL(listener).port)
    throw usageError("option_invalid", `${href} is this listener`, {
      hint: "give the URL of the app, or listen on another --port",
    });
}

const VISIBLE_TO_OTHERS = "others on this machine can see the words of a command line";

const REFUSED_HEADERS: ReadonlyMap<string, string> = new Map([
  ["authorization", VISIBLE_TO_OTHERS],
  ["content-length", "it is the length of the body"],
  ["cookie", VISIBLE_TO_OTHERS],
  ["host", "it is the host of the URL"],
  ["x-api-key", VISIBLE_TO_OTHERS],
]);

export const parseHeaderOption = (text: string) => parseHeader(text, "--header", REFUSED_HEADERS);

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
