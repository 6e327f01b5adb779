import { resolve } from "node:path";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { OptionSpecs, OptionValues } from "../../../command.ts";
import type { Connection } from "../../../connection.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../global-options.ts";
import { envFileKeeper } from "./env-file-keeper.ts";
import { profileKeeper } from "./profile-keeper.ts";
import { secretFileKeeper } from "./secret-file-keeper.ts";

/** Where a signing secret goes that the service tells once; looked at before anything is sent, so that it is not lost. */
export const secretKeepingOptions = {
  secretFile: { value: "file", help: "write the signing secret to this new file, for your eyes only" },
  writeEnv: { value: "file", help: "set CLAIMS_WEBHOOK_SECRET in this .env file; its other lines stay" },
  store: { help: "keep the signing secret in the profile, where verify, sign and fingerprint find it" },
  force: { help: "replace a signing secret that is there already" },
} as const satisfies OptionSpecs;

type SecretKeepingOptions = OptionValues<typeof secretKeepingOptions>;

/** A place that was found fit to keep a secret. */
export interface SecretKeeper {
  /** As messages name it. */
  readonly place: string;
  /** @throws ClaimsError where it turns out not to be fit */
  keep(secret: string): Promise<void>;
  /** Called in the end, kept or not: what was only reserved is given up. */
  release(): Promise<void>;
}

/**
 * The places that were asked for; none where stdout is it.
 *
 * @throws ClaimsError `secret_exists`, `no_place_for_secret`, `one_file_for_two` before anything is sent
 */
export async function secretKeepers(
  context: Context,
  global: GlobalOptions,
  { secretFile, writeEnv, store, force = false }: SecretKeepingOptions,
  connection: Connection,
): Promise<readonly SecretKeeper[]> {
  requireFilesApart(context, [secretFile, writeEnv], global.out);
  const keepers: SecretKeeper[] = [];
  if (store) keepers.push(await profileKeeper(context, global, connection, force));
  if (writeEnv !== undefined) keepers.push(await envFileKeeper(context, writeEnv, force));
  // The last one: it makes a file.
  if (secretFile !== undefined) keepers.push(await secretFileKeeper(context, secretFile, force));
  if (keepers.length > 0 || isShown(context, global)) return keepers;
  throw new ClaimsError(
    "usage",
    "no_place_for_secret",
    "the signing secret is told once, and there is nowhere to put it",
    { hint: "give --secret-file, --write-env or --store; or --json, whose answer has it" },
  );
}

/** Of one file for two things, only the one that is written last would be left. */
function requireFilesApart(
  { cwd }: Context,
  files: readonly (string | undefined)[],
  out: string | undefined,
): void {
  if (files.includes("-"))
    throw new ClaimsError(
      "usage",
      "no_place_for_secret",
      "a signing secret is kept in a file, not on stdout",
      {
        hint: "name a file; or give --json in its place, whose answer has the secret",
      },
    );
  const named = [...files, out].filter((file) => file !== undefined).map((file) => resolve(cwd, file));
  const twice = named.find((file, index) => named.indexOf(file) !== index);
  if (twice !== undefined)
    throw new ClaimsError("usage", "one_file_for_two", `${twice} is to hold two things; nothing was sent`, {
      hint: "give --secret-file, --write-env and --out a file each",
    });
}

/**
 * Whether what is printed has the secret in it: for a person, or as the service's own answer. A file that is written only
 * when all is done may turn out not to be writable.
 */
function isShown({ stdout }: Context, { quiet, fields, json, out = "-" }: GlobalOptions): boolean {
  if (quiet || out !== "-") return false;
  if (fields) return fields.includes("signingSecret");
  return json === true || stdout.isTerminal;
}

export const secretExists = (place: string): ClaimsError =>
  new ClaimsError("usage", "secret_exists", `${place} has a signing secret already; nothing was sent`, {
    hint: "name another place, or give --force to replace it",
  });

/** Another `create` was faster: its secret is told once, too. */
export const secretCame = (place: string): ClaimsError =>
  new ClaimsError("usage", "secret_exists", `${place} was given another signing secret meanwhile`, {
    hint: "there are two endpoints now: keep both secrets, or have one endpoint revoked",
  });
