import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxCredentials } from "../../sandbox/index.ts";
import { ClaimsError } from "../domain/errors.ts";
import { isRecord } from "../domain/json.ts";
import { writeWhole } from "./atomic-file.ts";
import { isSameService } from "./base-url.ts";
import type { Context } from "./context.ts";
import { makeStateFolder, stateFolder } from "./folders.ts";
import { readRegular } from "./regular-file.ts";
import { say } from "./say.ts";

/** Where a running sandbox is and how to talk to it; a file of mode 0600, one per sandbox name. */
export interface Locator {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly controlToken: string;
  readonly credentials: SandboxCredentials;
}

export const DEFAULT_SANDBOX = "default";

const pathOf = (context: Context, name: string): string => join(stateFolder(context), `sandbox-${name}.json`);

export const logFileOf = (context: Context, name: string): string =>
  join(stateFolder(context), `sandbox-${name}.log`);

/** Lets other commands find a sandbox. */
export async function writeLocator(context: Context, locator: Locator): Promise<void> {
  await makeStateFolder(context);
  await writeWhole(pathOf(context, locator.name), [`${JSON.stringify(locator)}\n`], { mode: 0o600 });
}

/** Notes the credentials that a sandbox has now, where it has a locator; `change` is given those that it had. */
export async function noteCredentials(
  context: Context,
  url: string,
  change: (known: SandboxCredentials) => SandboxCredentials,
): Promise<void> {
  const locator = await sandboxAt(context, url);
  if (locator) await writeLocator(context, { ...locator, credentials: change(locator.credentials) });
}

/** Removes the locator, but never one that another sandbox has put there since. */
export async function removeLocator(
  context: Context,
  { name, pid }: Pick<Locator, "name" | "pid">,
): Promise<void> {
  const path = pathOf(context, name);
  const current = await readLocatorFile(path);
  if (current?.pid === pid) await rm(path, { force: true });
}

/** The sandbox of that name, if its process is alive; what a dead one left behind is cleared away. */
export async function findSandbox(context: Context, name: string = DEFAULT_SANDBOX): Promise<Locator | null> {
  const locator = await readLocatorFile(pathOf(context, name));
  return locator && ifAlive(context, locator);
}

async function ifAlive(context: Context, locator: Locator): Promise<Locator | null> {
  const { name, pid } = locator;
  if (context.isAlive(pid)) return locator;
  await removeLocator(context, locator);
  say(context, `the sandbox "${name}" (pid ${pid}) has died; its traces are removed`);
  return null;
}

/** The sandbox that is up at a base URL, if one is. */
export async function sandboxAt(context: Context, baseUrl: string): Promise<Locator | null> {
  return (await listSandboxes(context)).find(({ url }) => isSameService(url, baseUrl)) ?? null;
}

/** Every sandbox that is up, by name. */
export async function listSandboxes(context: Context): Promise<Locator[]> {
  const locators = await sandboxLocators(context);
  const found = await Promise.all(locators.map((locator) => ifAlive(context, locator)));
  return found.filter((locator) => locator !== null);
}

/** Every locator as it lies there, by name, also those that dead sandboxes have left behind. */
export async function sandboxLocators(context: Context): Promise<Locator[]> {
  const files = await readdir(stateFolder(context)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw unreadable(stateFolder(context), error);
  });
  const names = files.flatMap((file) => /^sandbox-(.+)\.json$/.exec(file)?.[1] ?? []).sort();
  const found = await Promise.all(names.map((name) => readLocatorFile(pathOf(context, name))));
  return found.filter((locator) => locator !== null);
}

async function readLocatorFile(path: string): Promise<Locator | null> {
  let text: string;
  try {
    text = await readRegular(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw unreadable(path, error);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isLocator(value)) return value;
    throw new Error("it does not say where a sandbox is");
  } catch (error) {
    throw unreadable(path, error);
  }
}

function isLocator(value: unknown): value is Locator {
  if (!isRecord(value) || !isRecord(value.credentials)) return false;
  const { name, url, pid, controlToken, credentials } = value;
  const texts = [name, url, controlToken].every((text) => typeof text === "string");
  const isProcess = Number.isInteger(pid) && Number(pid) > 0;
  return texts && isProcess && URL.canParse(String(url)) && Object.values(credentials).every(isRecord);
}

const unreadable = (path: string, cause: unknown): ClaimsError =>
  new ClaimsError("usage", "broken_locator", `${path} cannot be read: ${(cause as Error).message}`, {
    hint: "remove it, or name the service with --base-url",
    cause,
  });
