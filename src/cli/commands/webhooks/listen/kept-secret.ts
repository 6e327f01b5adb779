import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { openSecretFile, type SecretDestination } from "../create/secret-destination.ts";
import { readSecrets, requireCleanSecret } from "../signing-secrets.ts";
import type { ListenOptions } from "./listen.ts";

/** The file of `--register --secret-file`: its secret, or where to write that of a new endpoint. */
export type KeptSecret = { readonly file: string } & (
  | { readonly secret: string }
  | { readonly secret: null; readonly destination: SecretDestination }
);

/** Null without both options. A file with a secret is never overwritten. @throws ClaimsError before anything is sent */
export async function openKeptSecret(
  context: Context,
  { register, secretFile: files = [], port }: ListenOptions,
): Promise<KeptSecret | null> {
  const [file, ...others] = files;
  if (!register || file === undefined) return null;
  if (others.length > 0 || file === "-")
    throw usageError("option_conflict", "--register keeps the secret of its endpoint in one file", {
      hint: "give --secret-file once, with the name of a file",
    });
  if (port === 0)
    throw usageError(
      "option_conflict",
      "--port 0 gives each start another URL, and an endpoint keeps its own",
      {
        hint: "name a port, or leave out --secret-file",
      },
    );
  const path = resolve(context.cwd, file);
  const found = await stat(path).catch(() => null);
  if (found === null) return { file, secret: null, destination: await openSecretFile(context, file) };
  if (found.isFile() && found.size === 0) {
    const write = (secret: string) => writeFileAtomically(path, [secret], { mode: 0o600 });
    return { file, secret: null, destination: { label: file, write } };
  }
  const [given] = await readSecrets(context, { secretFile: [file], profile: undefined });
  return { file, secret: given ? requireCleanSecret(given) : "" };
}
