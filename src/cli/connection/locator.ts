import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxCredentials } from "../../../sandbox/index.ts";
import { type ClaimsError, usageError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { isSameProcess, type ProcessIdentity } from "../../process/identity.ts";
import type { Context } from "../context.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { describeFileError } from "../files/file-errors.ts";
import { createStateFolder, resolveStateFolder } from "../files/folders.ts";
import { readRegularFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";
import { isSameService } from "./base-url.ts";
import { checkSandboxHealth } from "./sandbox-answer.ts";

/** Where a running sandbox is and how to talk to it; a file of mode 0600, one per sandbox name. */
export interface Locator extends ProcessIdentity {
  readonly name: string;
  readonly url: string;
  readonly controlToken: string;
  readonly credentials: SandboxCredentials;
}

export const DEFAULT_SANDBOX = "default";

const locatorPath = (context: Context, name: string): string =>
  join(resolveStateFolder(context), `sandbox-${name}.json`);

export const sandboxLogPath = (context: Context, name: string): string =>
  join(resolveStateFolder(context), `sandbox-${name}.log`);

/**
 * Lets other commands find a sandbox.
 *
 * @throws ClaimsError `locator_unwritable`
 */
export async function writeLocator(context: Context, locator: Locator): Promise<void> {
  const path = locatorPath(context, locator.name);
  try {
    await createStateFolder(context);
    await writeFileAtomically(path, [`${JSON.stringify(locator)}\n`], { mode: 0o600 });
  } catch (error) {
    throw toStateWriteError(path, error);
  }
}

/** A folder for what this machine remembers may be missing: for any user of a container, or on a read-only root. */
export const toStateWriteError = (path: string, error: unknown): ClaimsError => {
  const { cause = error } = error as Error;
  return usageError("locator_unwritable", `cannot write ${path}: ${describeFileError(cause)}`, {
    hint: "set CLAIMS_CONFIG_DIR to a folder that is writable",
    cause,
  });
};

/** Notes the credentials that a sandbox has now, where it has a locator; `change` is given those that it had. */
export async function updateLocatorCredentials(
  context: Context,
  url: string,
  change: (known: SandboxCredentials) => SandboxCredentials,
): Promise<void> {
  const locator = await findSandboxAt(context, url);
  if (locator) await writeLocator(context, { ...locator, credentials: change(locator.credentials) });
}

/** Removes the locator, but never one that another sandbox has put there since. */
export async function removeLocator(context: Context, locator: Locator): Promise<void> {
  const path = locatorPath(context, locator.name);
  const current = await readLocatorFile(path);
  if (current && isSameProcess(current, locator)) await rm(path, { force: true });
}

/** Removes the locator of a sandbox that is up no more, and says so. */
export async function removeStaleLocator(context: Context, locator: Locator): Promise<void> {
  const { name, pid, url } = locator;
  const isGone = context.processes.statusOf(locator) === "dead";
  const what = isGone
    ? `the sandbox "${name}" (pid ${pid}) is no longer running`
    : `the sandbox "${name}" (pid ${pid}) does not answer at ${url}`;
  try {
    await removeLocator(context, locator);
    printMessage(context, `${what}; removed its state file`);
  } catch (error) {
    printMessage(context, `warning: ${what}; cannot remove its state file: ${(error as Error).message}`);
  }
}

/** The sandbox of that name, if it is up; what a dead one left behind is cleared away. */
export async function findSandbox(context: Context, name: string = DEFAULT_SANDBOX): Promise<Locator | null> {
  const locator = await readLocatorFile(locatorPath(context, name));
  return locator && keepIfRunning(context, locator);
}

async function keepIfRunning(context: Context, locator: Locator): Promise<Locator | null> {
  if (await isRunning(context, locator)) return locator;
  await removeStaleLocator(context, locator);
  return null;
}

/** Whether its process lives; of one that may live where it cannot be seen, as in another container, its port decides. */
export async function isRunning(context: Context, locator: Locator): Promise<boolean> {
  const status = context.processes.statusOf(locator);
  return (
    status === "alive" || (status === "unknown" && (await checkSandboxHealth(context, locator)) === "up")
  );
}

/** The sandbox that is up at a base URL, if one is. */
export async function findSandboxAt(context: Context, baseUrl: string): Promise<Locator | null> {
  return (await listSandboxes(context)).find(({ url }) => isSameService(url, baseUrl)) ?? null;
}

/** Every sandbox that is up, by name. */
export async function listSandboxes(context: Context): Promise<Locator[]> {
  const locators = await readLocators(context);
  const found = await Promise.all(locators.map((locator) => keepIfRunning(context, locator)));
  return found.filter((locator) => locator !== null);
}

/** Every locator as it lies there, by name, also those that dead sandboxes have left behind. */
export async function readLocators(context: Context): Promise<Locator[]> {
  const files = await readdir(resolveStateFolder(context)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw toLocatorError(resolveStateFolder(context), error);
  });
  const names = files.flatMap((file) => /^sandbox-(.+)\.json$/.exec(file)?.[1] ?? []).sort();
  const found = await Promise.all(names.map((name) => readLocatorFile(locatorPath(context, name))));
  return found.filter((locator) => locator !== null);
}

async function readLocatorFile(path: string): Promise<Locator | null> {
  let text: string;
  try {
    text = await readRegularFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw toLocatorError(path, error);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isLocator(value)) return { ...UNKNOWN_PROCESS, ...value };
    throw new Error("it does not say where a sandbox is");
  } catch (error) {
    throw toLocatorError(path, error);
  }
}

/** Of the process of a locator that an earlier version has written. */
const UNKNOWN_PROCESS = { startTime: "", pidNamespace: "" };

function isLocator(value: unknown): value is Omit<Locator, keyof typeof UNKNOWN_PROCESS> {
  if (!isRecord(value) || !isRecord(value.credentials)) return false;
  const { name, url, pid, controlToken, credentials } = value;
  const { startTime, pidNamespace } = { ...UNKNOWN_PROCESS, ...value };
  const texts = [name, url, controlToken, startTime, pidNamespace].every((text) => typeof text === "string");
  const isProcess = Number.isInteger(pid) && Number(pid) > 0;
  return texts && isProcess && URL.canParse(String(url)) && Object.values(credentials).every(isRecord);
}

const toLocatorError = (path: string, cause: unknown): ClaimsError =>
  usageError("broken_locator", `${path} cannot be read: ${describeFileError(cause)}`, {
    hint: (cause as NodeJS.ErrnoException).syscall
      ? "make it readable, or set CLAIMS_CONFIG_DIR to another folder"
      : "remove it, or name the service with --base-url",
    cause,
  });
