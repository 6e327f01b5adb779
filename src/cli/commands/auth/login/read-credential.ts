import type { Credential } from "../../../../client/auth/credential.ts";
import { readSecretFile, validateSecret } from "../../../connection/secrets.ts";
import type { Context } from "../../../context.ts";
import { readSmallStream } from "../../../files/input-file.ts";
import type { GlobalOptions, OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { prompt } from "../../../framework/prompts.ts";
import { parseSecretFile } from "../../../framework/values.ts";

const CLIENT_OPTIONS = ["clientId", "secretStdin", "secretFile"] as const;

/** No flag takes the secret itself: `ps` would show it. */
export const credentialOptions = {
  keyStdin: { help: "read the API key from stdin", conflicts: ["keyFile", ...CLIENT_OPTIONS] },
  keyFile: {
    value: "file",
    parse: (text: string) => parseSecretFile(text, "--key-file"),
    conflicts: CLIENT_OPTIONS,
    help: "read the API key from a file",
  },
  clientId: { value: "id", help: "id of an OAuth client, instead of an API key" },
  secretStdin: { help: "read the client secret from stdin", conflicts: ["secretFile"] },
  secretFile: {
    value: "file",
    parse: (text: string) => parseSecretFile(text, "--secret-file"),
    help: "read the client secret from a file",
  },
} as const satisfies OptionSpecs;

type CredentialOptions = OptionValues<typeof credentialOptions>;

/** Reads the credential from where the flags say, or prompts for it. */
export async function readCredential(
  context: Context,
  global: GlobalOptions,
  { clientId, keyFile, keyStdin, secretFile, secretStdin }: CredentialOptions,
): Promise<Credential> {
  const readSecret = async (name: string, flag: string, file: string | undefined, stdin = false) => {
    if (file !== undefined && file !== "-") return readSecretFile(context, file, `--${flag}-file`);
    // On a terminal, the user types the secret; it must not appear.
    if ((stdin || file === "-") && !context.stdin.isTerminal)
      return validateSecret((await readSmallStream(context.stdin.readable)).toString("utf8").trim(), "stdin");
    const alternative = `give --${flag}-stdin or --${flag}-file`;
    return validateSecret(
      await prompt(context, global, { question: name, alternative, isHidden: true }),
      `the ${name}`,
    );
  };
  if (clientId === undefined && !secretStdin && secretFile === undefined)
    return { kind: "api_key", key: await readSecret("API key", "key", keyFile, keyStdin) };
  const id =
    clientId ?? (await prompt(context, global, { question: "Client id", alternative: "give --client-id" }));
  return {
    kind: "oauth_client",
    clientId: validateSecret(id, "the client id"),
    clientSecret: await readSecret("Client secret", "secret", secretFile, secretStdin),
  };
}
