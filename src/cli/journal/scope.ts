import { formatProcess } from "../../process/identity.ts";
import type { Connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { sandboxAt } from "../locator.ts";
import type { JournalEntry } from "./entry.ts";

/** Where a write goes to: the same content elsewhere is another write. */
export interface Scope {
  readonly baseUrl: string;
  readonly environment: string;
  /** The process of a local sandbox, which forgets everything when it ends; undefined for any other service. */
  readonly instance?: string | undefined;
}

/** Of the service that a command talks to. */
export async function scopeOf(context: Context, { baseUrl, environment }: Connection): Promise<Scope> {
  const sandbox = await sandboxAt(context, baseUrl);
  return { baseUrl, environment, ...(sandbox && { instance: formatProcess(sandbox) }) };
}

/** Whether a write went there. */
export const isWithin = (scope: Scope, entry: JournalEntry): boolean =>
  entry.baseUrl === scope.baseUrl &&
  entry.environment === scope.environment &&
  entry.instance === scope.instance;
