import type { OptionSpecs, OptionValues } from "../../command.ts";

/** How signing secrets are handed over. A secret is never the value of a flag: `ps` shows those. */
export const secretOptions = {
  secretFile: {
    value: "file",
    repeats: true,
    help: "a file that holds the signing secret and nothing else; may repeat (CLAIMS_WEBHOOK_SECRET_FILE)",
  },
  secretStdin: { help: "read the signing secret from stdin" },
} as const satisfies OptionSpecs;

export type SecretOptions = OptionValues<typeof secretOptions>;
