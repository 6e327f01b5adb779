import type { Context } from "../context.ts";
import { sandboxLocators } from "../locator.ts";
import type { Candidate, Completions } from "./candidates.ts";

/** What there is to choose from, by the name that an option's value or an argument has in its declaration. */
export type Offers = (kind: string) => Promise<Completions>;

type Source = (context: Context) => Promise<Completions>;

const files: Source = async () => ({ candidates: [], paths: "files" });
const folders: Source = async () => ({ candidates: [], paths: "folders" });
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Only what lies on this machine: completion asks no service. */
export const SOURCES: Readonly<Record<string, Source>> = {
  command: files,
  dir: folders,
  file: files,
  method: async () => ({ candidates: methods.map((value) => ({ value, description: "" })) }),
  sandbox: async (context) => ({ candidates: await sandboxes(context) }),
};

async function sandboxes(context: Context): Promise<Candidate[]> {
  const found = await sandboxLocators(context);
  return found
    .filter(({ pid }) => context.isAlive(pid))
    .map(({ name, url }) => ({ value: name, description: url }));
}

/** Offers what is known on this machine. */
export const offersOf =
  (context: Context): Offers =>
  async (kind) =>
    (await SOURCES[kind]?.(context)) ?? { candidates: [] };
