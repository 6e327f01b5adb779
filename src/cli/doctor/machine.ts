import { X509Certificate } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ClaimsError } from "../../domain/errors.ts";
import { AUTHORITY_HINT, readAuthority } from "../authority.ts";
import { configFileOf, readConfig } from "../config/config-file.ts";
import type { Context } from "../context.ts";
import { fileProblem } from "../file-problem.ts";
import { makeStateFolder, stateFolder } from "../folders.ts";
import { entriesOf, isUnknown } from "../journal/entry.ts";
import { journalOf } from "../journal/journal.ts";
import { isUp, sandboxLocators } from "../locator.ts";
import { ok, type Verdict, warn } from "./finding.ts";

/** The `engines` of package.json. */
const OLDEST_NODE = [20, 19] as const;

/** Which version runs, and on a Node that is new enough. */
export function program({ nodeVersion, version }: Context): Verdict {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const detail = `claims ${version} on Node ${nodeVersion}`;
  return isOld ? warn(detail, `update Node: it takes ${OLDEST_NODE.join(".")} or newer`) : ok(detail);
}

/** Reads the configuration as any command does; the file's permissions are mended on the way. */
export async function configuration(context: Context): Promise<Verdict> {
  const { current, profiles } = await readConfig(context);
  const names = Object.keys(profiles).map((name) => (name === current ? `${name} (current)` : name));
  return ok(names.length ? `${configFileOf(context)}: ${names.join(", ")}` : "no profiles yet");
}

/** Writes into the folder and cleans up: permission bits tell nothing of a full or read-only disk. */
export async function state(context: Context): Promise<Verdict> {
  const folder = stateFolder(context);
  try {
    await makeStateFolder(context);
    const probe = join(folder, `doctor-${context.processes.own.pid}.tmp`);
    await writeFile(probe, "x", { mode: 0o600 }).finally(() => rm(probe, { force: true }));
    const { mode } = await stat(folder);
    if (context.platform === "win32" || (mode & 0o077) === 0) return ok(folder);
    return warn(`others can look into ${folder}`, `close it: chmod 700 ${folder}`);
  } catch (cause) {
    throw new ClaimsError("usage", "state_unwritable", `cannot write in ${folder}: ${fileProblem(cause)}`, {
      hint: "make room or make it writable, or point CLAIMS_CONFIG_DIR at another folder",
      cause,
    });
  }
}

/** Which sandboxes are up, and which have left something behind. */
export async function sandboxes(context: Context): Promise<Verdict> {
  const locators = await sandboxLocators(context);
  const answers = await Promise.all(locators.map((locator) => isUp(context, locator)));
  const dead = locators.filter((_, index) => !answers[index]).map(({ name }) => name);
  if (dead.length > 0) {
    const hints = dead.map((name) => `claims sandbox down --name ${name}`).join("; ");
    return warn(`died without clearing away: ${dead.join(", ")}`, `clear it away: ${hints}`);
  }
  return ok(locators.map(({ name, url }) => `${name} at ${url}`).join(", ") || "none is up");
}

/** Writes of which nobody knows whether they were carried out. */
export async function journal(context: Context): Promise<Verdict> {
  const entries = entriesOf(await journalOf(context).read());
  const unknown = entries.filter((entry) => isUnknown(entry, context)).length;
  if (unknown === 0) return ok(`${entries.length} writes, all of known outcome`);
  return warn(
    `of ${unknown} of ${entries.length} writes nobody knows the outcome`,
    "`claims diligence history --unknown` lists them; the same write again is sent under the same key",
  );
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** @param path of a file of certificates, PEM; undefined where Node's own are trusted */
export async function authority(context: Context, path: string | undefined): Promise<Verdict> {
  if (path === undefined) return ok("Node's own authorities");
  const texts = (await readAuthority(context, path)).match(CERTIFICATE) ?? [];
  if (texts.length === 0) {
    throw new ClaimsError("usage", "ca_without_certificate", `${path} holds no certificate`, {
      hint: AUTHORITY_HINT,
    });
  }
  try {
    const expired = texts
      .map((text) => new X509Certificate(text))
      .filter(({ validTo }) => Date.parse(validTo) < context.now());
    if (expired.length === 0) return ok(`${path}: certificates: ${texts.length}`);
    return warn(`${path}: expired: ${expired.map(({ subject }) => subject).join(", ")}`, "get a newer one");
  } catch (cause) {
    throw new ClaimsError("usage", "ca_broken", `${path} holds a broken certificate`, {
      hint: AUTHORITY_HINT,
      cause,
    });
  }
}
