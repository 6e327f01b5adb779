import { usageError } from "../../../domain/errors.ts";
import type { HeaderList } from "../../../domain/http-headers.ts";
import { isLoopback } from "../../../domain/net.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../domain/webhooks/headers.ts";
import type { HeaderPair } from "../../../domain/webhooks/input-formats/delivery.ts";
import { FIELD_NAMES, type FieldPaths } from "../../../domain/webhooks/input-formats/find-deliveries.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../files/input-file.ts";
import { type OptionSpecs, type OptionValues, SERVICE_OPTIONS } from "../../framework/options.ts";
import { parseHeader, parseSecretFile } from "../../framework/values.ts";

/** A signing secret is never the value of an option: `ps` shows those. */
export const secretOptions = {
  secretFile: {
    value: "file",
    parse: (text: string) => parseSecretFile(text, "--secret-file"),
    repeats: true,
    help: "file that holds only the signing secret, - for stdin; may repeat",
    variable: "CLAIMS_WEBHOOK_SECRET_FILE",
  },
  profile: {
    ...SERVICE_OPTIONS.profile,
    help: "profile with the signing secret",
  },
} as const satisfies OptionSpecs;

/** Commands that sign take one secret. */
export const singleSecretOptions = {
  ...secretOptions,
  secretFile: { ...secretOptions.secretFile, help: "file that holds only the signing secret; - for stdin" },
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

/** The URL of a receiver. Refuses a name and a password: others could read them. @throws ClaimsError `usage` */
export function parseReceiverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw usageError("option_invalid", "the URL of a receiver must be http(s)://host[:port]/path", {
    hint: "write the complete URL, such as https://hooks.example.com/claims, without user name and password",
  });
}

export function parseTarget(text: string): string {
  const url = parseReceiverUrl(text);
  url.hash = "";
  return url.href;
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

const SET_BY_SEND: ReadonlyMap<string, string> = new Map([
  [EVENT_HEADER.toLowerCase(), "--event names the event"],
  [TIMESTAMP_HEADER.toLowerCase(), "--timestamp gives the time"],
  [SIGNATURE_HEADER.toLowerCase(), "it is made of timestamp and body, with the secret of --secret-file"],
]);

export const parseHeaderOption = (text: string) =>
  parseHeader(text, "--header", new Map([...REFUSED_HEADERS, ...SET_BY_SEND]));

const SET_BY_PROBE: ReadonlyMap<string, string> = new Map(
  [EVENT_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER, "Content-Type", "Content-Length", "Host"].map((name) => [
    name.toLowerCase(),
    "the probe sets it; --event names the event",
  ]),
);

/** `Name: value`, or `@file` for headers that hold a secret. @throws ClaimsError `usage` */
export async function readHeaderOptions(context: Context, texts: readonly string[]): Promise<HeaderList> {
  const refused = new Map([...REFUSED_HEADERS, ...SET_BY_PROBE]);
  const added: HeaderPair[] = [];
  for (const text of texts) {
    const bytes = text.startsWith("@") ? await readInput(context, text.slice(1)) : null;
    const lines = (bytes?.toString("utf8").split(/\r?\n/) ?? [text]).filter((line) => line !== "");
    for (const line of lines) added.push(parseHeader(line, "--header", bytes ? SET_BY_PROBE : refused));
  }
  return added;
}

/** `body=.req.rawBody`; jq writes a dot before a path, and JavaScript does not. */
function parseField(text: string) {
  const [, word = "", path = ""] = /^(\w+)=\.?([^=]+)$/.exec(text) ?? [];
  const name = FIELD_NAMES.find((each) => each === word);
  if (name) return { name, path };
  throw usageError("option_invalid", `--field takes a name, =, and a path, not "${text}"`, {
    hint: `the names are ${FIELD_NAMES.join(", ")}; for example body=.req.rawBody`,
  });
}

/** Commands that read logs take it. */
export const fieldOption = {
  value: "name=path",
  repeats: true,
  parse: parseField,
  help: `where a log has a field, such as body=.req.rawBody or signature=got; names: ${FIELD_NAMES.join(", ")}; may repeat`,
} as const;

export const toFieldPaths = (fields: readonly ReturnType<typeof parseField>[] = []): FieldPaths =>
  Object.fromEntries(fields.map(({ name, path }) => [name, path]));
