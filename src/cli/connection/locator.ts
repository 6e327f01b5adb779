import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxCredentials } from "../../../sandbox/index.ts";
import { type ClaimsError, notFoundError, usageError } from "../../domain/errors.ts";
import { object, positiveInteger, recordOf, string, url } from "../../domain/shape.ts";
import { isSameProcess, type ProcessIdentity } from "../../process/identity.ts";
import type { Context } from "../context.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { describeFileError, recover } from "../files/file-errors.ts";
import { createStateFolder, resolveStateFolder } from "../files/folders.ts";
import { readJsonFile } from "../files/regular-file.ts";
import { parseName } from "../framework/values.ts";
import { printMessage } from "../output/stderr.ts";
import { isSameService } from "./base-url.ts";

/** The locator file of a running sandbox, of mode 0600: its address and its credentials. Each sandbox name has one. */
export interface Locator extends ProcessIdentity {
  readonly name: string;
  readonly url: string;
  readonly controlToken: string;
  readonly credentials: SandboxCredentials;
}

const locatorShape = object({
  name: string,
  url,
  controlToken: string,
  credentials: recordOf(object({})),
  pid: positiveInteger,
  startTime: string,
  pidNamespace: string,
});

export const DEFAULT_SANDBOX = "default";

const locatorPath = (context: Context, name: string): string =>
  join(resolveStateFolder(context), `sandbox-${name}.json`);

export const sandboxLogPath = (context: Context, name: string): string =>
  join(resolveStateFolder(context), `sandbox-${name}.log`);

export async function writeLocator(context: Context, locator: Locator): Promise<void> {
  const path = locatorPath(context, locator.name);
  try {
    await createStateFolder(context);
    await writeFileAtomically(path, [`${JSON.stringify(locator)}\n`], { mode: 0o600 });
  } catch (error) {
    throw toStateWriteError(path, error);
  }
}

/** In a container or on a read-only root, the state folder may be missing. */
export const toStateWriteError = (path: string, error: unknown): ClaimsError => {
  const { cause = error } = error as Error;
  return usageError("sandbox_state_unwritable", `cannot write ${path}: ${describeFileError(cause)}`, {
    hint: "set CLAIMS_CONFIG_DIR to a writable folder",
    cause,
  });
};

export async function updateLocatorCredentials(
  context: Context,
  url: string,
  change: (known: SandboxCredentials) => SandboxCredentials,
): Promise<void> {
  const locator = await findSandboxAt(context, url);
  if (locator) await writeLocator(context, { ...locator, credentials: change(locator.credentials) });
}

/** Removes a locator unless another sandbox has replaced it. */
export async function removeLocator(context: Context, locator: Locator): Promise<void> {
  const path = locatorPath(context, locator.name);
  const current = await readLocatorFile(path);
  if (current && isSameProcess(current, locator)) await rm(path, { force: true });
}

export async function removeStaleLocator(context: Context, locator: Locator): Promise<void> {
  const { name, pid, url } = locator;
  const isDead = context.processes.statusOf(locator) === "dead";
  const problem = isDead ? "is no longer running" : `does not respond at ${url}`;
  const message = `the sandbox "${name}" (pid ${pid}) ${problem}`;
  try {
    await removeLocator(context, locator);
    printMessage(context, `${message}; removed its locator file`);
  } catch (error) {
    printMessage(context, `warning: ${message}; cannot remove its locator file: ${(error as Error).message}`);
  }
}

/** One that cannot be removed stays, and blocks no start. */
export const removeDamagedLocator = (context: Context, name: string): Promise<void> =>
  rm(locatorPath(context, name), { force: true }).catch(() => undefined);

/** Finds a running sandbox by name, and removes the locator of one that is not running. */
export async function findSandbox(context: Context, name: string = DEFAULT_SANDBOX): Promise<Locator | null> {
  const locator = await readLocatorFile(locatorPath(context, name));
  return locator && keepIfRunning(context, locator);
}

async function keepIfRunning(context: Context, locator: Locator): Promise<Locator | null> {
  if (await isRunning(context, locator)) return locator;
  await removeStaleLocator(context, locator);
  return null;
}

/** Checks the process. One in another PID namespace cannot be seen, so its port decides. */
export async function isRunning(context: Context, locator: Locator): Promise<boolean> {
  const status = context.processes.statusOf(locator);
  if (status !== "unknown") return status === "alive";
  // Loads node:http, which most commands do not need.
  const { checkSandboxHealth } = await import("./sandbox-health.ts");
  const health = await checkSandboxHealth(context, locator);
  return health === "up" || health === "busy";
}

/** The name that a command is about: that of `--sandbox-name`, of the environment, or the default one. */
export const chooseSandboxName = (
  { env }: Pick<Context, "env">,
  { sandboxName }: { readonly sandboxName?: string | undefined } = {},
): string =>
  sandboxName ??
  (env.CLAIMS_SANDBOX_NAME ? parseName(env.CLAIMS_SANDBOX_NAME, "a sandbox") : DEFAULT_SANDBOX);

/** @throws ClaimsError `no_sandbox`, which names the running ones */
export async function requireSandbox(context: Context, name: string): Promise<Locator> {
  const found = await findSandbox(context, name);
  if (found) return found;
  const others = (await listSandboxes(context)).map((each) => each.name).join(", ");
  const start = `\`claims sandbox up${name === DEFAULT_SANDBOX ? "" : ` --sandbox-name ${name}`}\``;
  throw notFoundError("no_sandbox", `no sandbox "${name}" is up`, {
    hint: others === "" ? `start one with ${start}` : `running: ${others}; ${start} starts this one`,
  });
}

/** @param variable that names another URL */
export function requireSameSandbox({ name, url }: Locator, other: string, variable: string): void {
  if (isSameService(url, other)) return;
  const message = `CLAIMS_SANDBOX_NAME names the sandbox "${name}" at ${url}, but ${variable} is ${other}`;
  throw usageError("option_conflict", message, {
    hint: "unset one of them, or name the sandbox with --sandbox-name",
  });
}

export const findSandboxAt = async (context: Context, baseUrl: string): Promise<Locator | null> =>
  (await listSandboxes(context)).find(({ url }) => isSameService(url, baseUrl)) ?? null;

export async function listSandboxes(context: Context): Promise<readonly Locator[]> {
  const locators = await readLocators(context);
  const found = await Promise.all(locators.map((locator) => keepIfRunning(context, locator)));
  return found.filter((locator) => locator !== null);
}

/** All locators by name, also those of sandboxes that are not running. */
export async function readLocators(context: Context): Promise<readonly Locator[]> {
  const folder = resolveStateFolder(context);
  const files = await recover(readdir(folder), [], "ENOENT").catch((error: unknown) => {
    throw toLocatorError(folder, error);
  });
  const names = files.flatMap((file) => /^sandbox-(.+)\.json$/.exec(file)?.[1] ?? []).sort();
  const found = await Promise.all(names.map((name) => readLocatorFile(locatorPath(context, name))));
  return found.filter((locator) => locator !== null);
}

const readLocatorFile = (path: string): Promise<Locator | null> =>
  readJsonFile<Locator>(path, locatorShape, "it is not a locator file").catch((error: unknown) => {
    throw toLocatorError(path, error);
  });

const toLocatorError = (path: string, cause: unknown): ClaimsError =>
  usageError("sandbox_state_invalid", `cannot read ${path}: ${describeFileError(cause)}`, {
    hint: (cause as NodeJS.ErrnoException).syscall
      ? "make it readable, or set CLAIMS_CONFIG_DIR to another folder"
      : "`claims sandbox up` replaces it; if no sandbox runs, remove it",
    cause,
  });
