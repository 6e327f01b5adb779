import { usageError } from "../../../domain/errors.ts";
import { isLoopback } from "../../../domain/net.ts";
import { type OptionSpecs, type OptionValues, SERVICE_OPTIONS } from "../../framework/options.ts";
import { parseSecretFile } from "../../framework/values.ts";

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
