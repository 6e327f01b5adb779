import { text } from "node:stream/consumers";
import type { Credential } from "../../../../client/auth/credential.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { readSecretFile, validateSecret } from "../../../connection/secrets.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions, OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { prompt, promptSecret } from "../../../framework/prompts.ts";

/** How a credential is handed over. A secret is never the value of a flag: `ps` shows those. */
export const credentialOptions = {
  keyStdin: { help: "read the API key from stdin" },
  keyFile: { value: "file", help: "read the API key from a file" },
  clientId: { value: "id", help: "an OAuth client in place of an API key (CLAIMS_CLIENT_ID)" },
  secretStdin: { help: "read the client's secret from stdin" },
  secretFile: { value: "file", help: "read the client's secret from a file" },
} as const satisfies OptionSpecs;

type CredentialOptions = OptionValues<typeof credentialOptions>;

/** Two ways to hand over a secret would leave one of them unread. */
export function requireOneSecret(options: CredentialOptions): void {
  const { clientId, keyFile, keyStdin, secretFile, secretStdin } = options;
  const given = Object.entries({
    "--key-stdin": keyStdin,
    "--key-file": keyFile,
    "--secret-stdin": secretStdin,
    "--secret-file": secretFile,
  }).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  const isBoth = clientId !== undefined && (keyStdin || keyFile !== undefined);
  if (given.length < 2 && !isBoth) return;
  const flags = [...(isBoth ? ["--client-id"] : []), ...given].join(" and ");
  throw new ClaimsError("usage", "two_credentials", `${flags} exclude each other`, {
    hint: "give an API key, or a client id and its secret",
  });
}

/** The credential that the flags hand over; what is missing is asked for. */
export async function readCredential(
  context: Context,
  global: GlobalOptions,
  options: CredentialOptions,
): Promise<Credential> {
  const { clientId, keyFile, keyStdin, secretFile, secretStdin } = options;
  if (clientId === undefined && !secretStdin && secretFile === undefined) {
    const key = await readSecret(context, global, {
      stdin: keyStdin,
      file: keyFile,
      what: "API key",
      flag: "key",
    });
    return { kind: "api_key", key };
  }
  const id =
    clientId ?? (await prompt(context, global, { question: "Client id", alternative: "give --client-id" }));
  const secret = { stdin: secretStdin, file: secretFile, what: "Client secret", flag: "secret" };
  return {
    kind: "oauth_client",
    clientId: validateSecret(id, "the client id"),
    clientSecret: await readSecret(context, global, secret),
  };
}

interface SecretSource {
  readonly stdin: boolean | undefined;
  readonly file: string | undefined;
  readonly what: string;
  readonly flag: string;
}

async function readSecret(
  context: Context,
  global: GlobalOptions,
  { stdin, file, what, flag }: SecretSource,
): Promise<string> {
  if (file !== undefined && file !== "-") return readSecretFile(context, file, `--${flag}-file`);
  // On a terminal, stdin is somebody who types; that must not be shown.
  if ((stdin || file === "-") && !context.stdin.isTerminal)
    return validateSecret((await text(context.stdin.readable)).trim(), "stdin");
  const instead = `give --${flag}-stdin or --${flag}-file`;
  return validateSecret(
    await promptSecret(context, global, { question: what, alternative: instead }),
    `the ${what}`,
  );
}
