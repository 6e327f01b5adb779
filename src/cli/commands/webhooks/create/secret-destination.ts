import { open, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import {
  type Config,
  readConfig,
  requireProfile,
  requireSelectedProfile,
  setProfile,
  updateConfig,
} from "../../../connection/config.ts";
import type { Connection } from "../../../connection/connection.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { describeNewFileError, hasErrorCode } from "../../../files/file-errors.ts";
import type { GlobalOptions, OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { parseSecretFile } from "../../../framework/values.ts";
import type { ListenOptions } from "../listen/listen.ts";
import { readSecrets, requireCleanSecret } from "../signing-secrets.ts";

export const secretDestinationOptions = {
  secretFile: {
    value: "file",
    parse: (text: string) => parseSecretFile(text, "--secret-file"),
    conflicts: ["store"],
    help: "write the signing secret to this new file, which only you can read",
  },
  store: { help: "store the signing secret in the profile, where verify and sign find it" },
} as const satisfies OptionSpecs;

/** A place for the signing secret. It is checked before the request, because the service shows the secret once. */
export interface SecretDestination {
  readonly label: string;
  /** @throws ClaimsError */
  readonly write: (secret: string) => Promise<void>;
  /** Removes what is only reserved. Called at the end, written or not. */
  readonly release?: () => Promise<void>;
}

/** Null for stdout. @throws ClaimsError `secret_exists`, `missing_option`, `option_conflict` before anything is sent */
export async function openSecretDestination(
  context: Context,
  global: GlobalOptions,
  { secretFile, store }: OptionValues<typeof secretDestinationOptions>,
  connection: Connection,
): Promise<SecretDestination | null> {
  if (store) return openProfile(context, global, connection);
  if (secretFile === "-")
    throw usageError("missing_option", "a signing secret goes to a file, not to stdout", {
      hint: "name a file; or give --json instead to print the response",
    });
  if (secretFile !== undefined) {
    const path = resolve(context.cwd, secretFile);
    // Two writes to one file would leave only the last one.
    if (global.out !== undefined && path === resolve(context.cwd, global.out))
      throw usageError("option_conflict", `two options name ${path}; nothing was sent`, {
        hint: "name different files with --secret-file and --out",
      });
    return openSecretFile(context, secretFile);
  }
  if (printsSecret(context, global)) return null;
  throw usageError("missing_option", "the service shows the signing secret once: say where to keep it", {
    hint: "give --secret-file or --store; or --json to print the response",
  });
}

/** Whether stdout shows the secret. `--out` does not count: that file is written last, which can fail. */
function printsSecret({ stdout }: Context, { quiet, fields, json, out = "-" }: GlobalOptions): boolean {
  if (quiet || out !== "-") return false;
  if (fields) return fields.includes("signingSecret");
  return json === true || stdout.isTerminal;
}

async function openProfile(
  context: Context,
  { profile }: GlobalOptions,
  { baseUrl }: Connection,
): Promise<SecretDestination> {
  const config = await readConfig(context);
  const name = profile ?? requireSelectedProfile(context, config);
  const label = `the profile "${name}"`;
  const requireUnused = (before: Config) => {
    const found = requireProfile(before, name);
    if (found.webhookSecret === undefined) return found;
    throw usageError("secret_exists", `${label} already has a signing secret`, {
      hint: "give --secret-file; `claims profiles set --webhook-secret-file` replaces the secret of a profile",
    });
  };
  const { baseUrl: profileUrl } = requireUnused(config);
  if (profileUrl !== baseUrl)
    throw usageError("profile_mismatch", `${label} is for ${profileUrl}, not ${baseUrl}`, {
      hint: "name the profile of this service with --profile, or give --secret-file",
    });
  return {
    label,
    async write(webhookSecret) {
      // Another `create` may have been faster. Its secret is also shown once.
      await updateConfig(context, (before) =>
        setProfile(before, name, { ...requireUnused(before), webhookSecret }),
      );
    },
  };
}

/** No line end, which could become part of the key. Created before the request, to prove that it can be written. */
async function openSecretFile(context: Context, file: string): Promise<SecretDestination> {
  const path = resolve(context.cwd, file);
  try {
    await (await open(path, "wx", 0o600)).close();
  } catch (cause) {
    if (hasErrorCode(cause, "EEXIST"))
      throw usageError("secret_exists", `${file} exists; nothing was sent`, {
        hint: "name another file, or remove this one",
      });
    const message = `cannot write ${file}: ${describeNewFileError(cause)}; nothing was sent`;
    throw usageError("cannot_write", message, { hint: "name another file", cause });
  }
  let isReserved = true;
  return {
    label: file,
    write: async (secret) => {
      await writeFileAtomically(path, [secret], { mode: 0o600 });
      isReserved = false;
    },
    release: async () => {
      const found = isReserved ? await stat(path).catch(() => null) : null;
      // Keeps what another program wrote. A failure to remove must not hide the result of the request.
      if (found?.isFile() && found.size === 0) await rm(path, { force: true }).catch(() => {});
    },
  };
}

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
