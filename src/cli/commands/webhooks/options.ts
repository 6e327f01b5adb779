import { usageError } from "../../../domain/errors.ts";
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
