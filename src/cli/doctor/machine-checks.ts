import { X509Certificate } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { usageError } from "../../domain/errors.ts";
import { CA_FILE_HINT, readCaFile } from "../connection/ca-file.ts";
import { configPath, readConfig } from "../connection/config-file.ts";
import { isRunning, readLocators } from "../connection/locator.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "../files/file-errors.ts";
import { createStateFolder, resolveStateFolder } from "../files/folders.ts";
import { openWriteLog } from "../write-log/write-log.ts";
import { hasUnknownOutcome, toWriteRecords } from "../write-log/write-record.ts";
import { type CheckResult, ok, warn } from "./check.ts";

/** The `engines` of package.json. */
const MIN_NODE_VERSION = [20, 19] as const;

export function checkProgram({ nodeVersion, version }: Context): CheckResult {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isOld = major < MIN_NODE_VERSION[0] || (major === MIN_NODE_VERSION[0] && minor < MIN_NODE_VERSION[1]);
  const detail = `claims ${version} on Node ${nodeVersion}`;
  return isOld ? warn(detail, `update Node to ${MIN_NODE_VERSION.join(".")} or newer`) : ok(detail);
}

/** Reads the configuration, which also restricts the permissions of the file. */
export async function checkConfiguration(context: Context): Promise<CheckResult> {
  const { current, profiles } = await readConfig(context);
  const names = Object.keys(profiles).map((name) => (name === current ? `${name} (current)` : name));
  return ok(names.length ? `${configPath(context)}: ${names.join(", ")}` : "no profiles yet");
}

/** Writes a file, because permission bits do not show a full or read-only disk. */
export async function checkStateFolder(context: Context): Promise<CheckResult> {
  const folder = resolveStateFolder(context);
  try {
    await createStateFolder(context);
    const probe = join(folder, `doctor-${context.processes.own.pid}.tmp`);
    await writeFile(probe, "x", { mode: 0o600 }).finally(() => rm(probe, { force: true }));
    const { mode } = await stat(folder);
    if (context.platform === "win32" || (mode & 0o077) === 0) return ok(folder);
    return warn(`other users can read ${folder}`, `restrict it: chmod 700 ${folder}`);
  } catch (cause) {
    throw usageError("state_unwritable", `cannot write in ${folder}: ${describeFileError(cause)}`, {
      hint: "make room or make it writable, or set CLAIMS_CONFIG_DIR to another folder",
      cause,
    });
  }
}

export async function checkSandboxes(context: Context): Promise<CheckResult> {
  const locators = await readLocators(context);
  const answers = await Promise.all(locators.map((locator) => isRunning(context, locator)));
  const dead = locators.filter((_, index) => !answers[index]).map(({ name }) => name);
  if (dead.length > 0) {
    const hints = dead.map((name) => `claims sandbox down --name ${name}`).join("; ");
    return warn(`not running, but not stopped properly: ${dead.join(", ")}`, `remove the state: ${hints}`);
  }
  return ok(locators.map(({ name, url }) => `${name} at ${url}`).join(", ") || "none is running");
}

export async function checkWriteLog(context: Context): Promise<CheckResult> {
  const entries = toWriteRecords(await openWriteLog(context).read());
  const unknown = entries.filter((entry) => hasUnknownOutcome(entry, context)).length;
  if (unknown === 0) return ok(`${entries.length} writes with a known outcome`);
  return warn(
    `${unknown} of ${entries.length} writes have an unknown outcome`,
    "`claims diligence history --unknown` lists them; repeating a write uses the same key",
  );
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** @param path of a PEM file; undefined if the certificates of Node apply */
export async function checkCaFile(context: Context, path: string | undefined): Promise<CheckResult> {
  if (path === undefined) return ok("the certificate authorities of Node");
  const texts = (await readCaFile(context, path)).match(CERTIFICATE) ?? [];
  if (texts.length === 0) {
    throw usageError("ca_without_certificate", `${path} contains no certificate`, { hint: CA_FILE_HINT });
  }
  try {
    const expired = texts
      .map((text) => new X509Certificate(text))
      .filter(({ validTo }) => Date.parse(validTo) < context.now());
    if (expired.length === 0) return ok(`${path}: certificates: ${texts.length}`);
    return warn(`${path}: expired: ${expired.map(({ subject }) => subject).join(", ")}`, "replace it");
  } catch (cause) {
    throw usageError("ca_invalid", `${path} contains an invalid certificate`, { hint: CA_FILE_HINT, cause });
  }
}
