import { open, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import {
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

export const secretDestinationOptions = {
  secretFile: {
    value: "file",
    parse: (text: string) => parseSecretFile(text, "--secret-file"),
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

/** None for stdout. @throws ClaimsError `secret_exists`, `missing_option`, `option_conflict` before anything is sent */
export async function openSecretDestinations(
  context: Context,
  global: GlobalOptions,
  { secretFile, store }: OptionValues<typeof secretDestinationOptions>,
  connection: Connection,
): Promise<readonly SecretDestination[]> {
  requireDistinctFiles(context, secretFile, global.out);
  const destinations: SecretDestination[] = [];
  if (store) destinations.push(await openProfile(context, global, connection));
  // Last, because it creates a file.
  if (secretFile !== undefined) destinations.push(await openSecretFile(context, secretFile));
  if (destinations.length > 0 || printsSecret(context, global)) return destinations;
  throw usageError("missing_option", "the service shows the signing secret once: say where to keep it", {
    hint: "give --secret-file or --store; or --json to print the response",
  });
}

/** Two writes to one file would leave only the last one. */
function requireDistinctFiles({ cwd }: Context, file: string | undefined, out: string | undefined): void {
  if (file === "-")
    throw usageError("missing_option", "a signing secret goes to a file, not to stdout", {
      hint: "name a file; or give --json instead to print the response",
    });
  if (file !== undefined && out !== undefined && resolve(cwd, file) === resolve(cwd, out))
    throw usageError("option_conflict", `two options name ${resolve(cwd, file)}; nothing was sent`, {
      hint: "name different files with --secret-file and --out",
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
  const { webhookSecret, baseUrl: profileUrl } = requireProfile(config, name);
  if (profileUrl !== baseUrl)
    throw usageError("profile_mismatch", `the profile "${name}" is for ${profileUrl}, not ${baseUrl}`, {
      hint: "name the profile of this service with --profile, or give --secret-file",
    });
  const label = `the profile "${name}"`;
  if (webhookSecret !== undefined)
    throw usageError("secret_exists", `${label} already has a signing secret; nothing was sent`, {
      hint: "give --secret-file; `claims profiles set --webhook-secret-file` replaces the secret of a profile",
    });
  return {
    label,
    write: async (secret) => {
      await updateConfig(context, (before) => {
        const current = requireProfile(before, name);
        // Another `create` was faster. Its secret is also shown once.
        if (current.webhookSecret !== undefined)
          throw usageError("secret_exists", `${label} received another signing secret in the meantime`, {
            hint: "there are two endpoints now: keep both secrets, or have one endpoint revoked",
          });
        return setProfile(before, name, { ...current, webhookSecret: secret });
      });
    },
  };
}

/** No line end, which could become part of the key. Created before the request, to prove that it can be written. */
export async function openSecretFile(context: Context, file: string): Promise<SecretDestination> {
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
