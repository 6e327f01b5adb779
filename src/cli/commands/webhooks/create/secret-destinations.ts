import { resolve } from "node:path";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Connection } from "../../../connection/connection.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions, OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { openEnvFile } from "./env-file-destination.ts";
import { openProfile } from "./profile-destination.ts";
import { openSecretFile } from "./secret-file-destination.ts";

/** Where a signing secret goes that the service tells once; looked at before anything is sent, so that it is not lost. */
export const secretDestinationOptions = {
  secretFile: { value: "file", help: "write the signing secret to this new file, for your eyes only" },
  writeEnv: { value: "file", help: "set CLAIMS_WEBHOOK_SECRET in this .env file; its other lines stay" },
  store: { help: "keep the signing secret in the profile, where verify, sign and fingerprint find it" },
  force: { help: "replace a signing secret that is there already" },
} as const satisfies OptionSpecs;

type SecretDestinationOptions = OptionValues<typeof secretDestinationOptions>;

/** A place that was found fit to keep a secret. */
export interface SecretDestination {
  /** As messages name it. */
  readonly label: string;
  /** @throws ClaimsError where it turns out not to be fit */
  write(secret: string): Promise<void>;
  /** Called in the end, kept or not: what was only reserved is given up. */
  release(): Promise<void>;
}

/**
 * The places that were asked for; none where stdout is it.
 *
 * @throws ClaimsError `secret_exists`, `no_place_for_secret`, `one_file_for_two` before anything is sent
 */
export async function openSecretDestinations(
  context: Context,
  global: GlobalOptions,
  { secretFile, writeEnv, store, force = false }: SecretDestinationOptions,
  connection: Connection,
): Promise<readonly SecretDestination[]> {
  requireDistinctFiles(context, [secretFile, writeEnv], global.out);
  const destinations: SecretDestination[] = [];
  if (store) destinations.push(await openProfile(context, global, connection, force));
  if (writeEnv !== undefined) destinations.push(await openEnvFile(context, writeEnv, force));
  // The last one: it makes a file.
  if (secretFile !== undefined) destinations.push(await openSecretFile(context, secretFile, force));
  if (destinations.length > 0 || printsSecret(context, global)) return destinations;
  throw new ClaimsError(
    "usage",
    "no_place_for_secret",
    "the signing secret is told once, and there is nowhere to put it",
    { hint: "give --secret-file, --write-env or --store; or --json, whose answer has it" },
  );
}

/** Of one file for two things, only the one that is written last would be left. */
function requireDistinctFiles(
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
  const paths = [...files, out].filter((file) => file !== undefined).map((file) => resolve(cwd, file));
  const duplicate = paths.find((file, index) => paths.indexOf(file) !== index);
  if (duplicate !== undefined)
    throw new ClaimsError(
      "usage",
      "one_file_for_two",
      `${duplicate} is to hold two things; nothing was sent`,
      {
        hint: "give --secret-file, --write-env and --out a file each",
      },
    );
}

/**
 * Whether what is printed has the secret in it: for a person, or as the service's own answer. A file that is written only
 * when all is done may turn out not to be writable.
 */
function printsSecret({ stdout }: Context, { quiet, fields, json, out = "-" }: GlobalOptions): boolean {
  if (quiet || out !== "-") return false;
  if (fields) return fields.includes("signingSecret");
  return json === true || stdout.isTerminal;
}

export const secretExistsError = (place: string): ClaimsError =>
  new ClaimsError("usage", "secret_exists", `${place} has a signing secret already; nothing was sent`, {
    hint: "name another place, or give --force to replace it",
  });

/** Another `create` was faster: its secret is told once, too. */
export const secretChangedError = (place: string): ClaimsError =>
  new ClaimsError("usage", "secret_exists", `${place} was given another signing secret meanwhile`, {
    hint: "there are two endpoints now: keep both secrets, or have one endpoint revoked",
  });
