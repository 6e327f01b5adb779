import { formatProcess } from "../../process/identity.ts";
import type { Connection } from "../connection/connection.ts";
import { findSandboxAt } from "../connection/locator.ts";
import type { Context } from "../context.ts";
import type { WriteRecord } from "./write-record.ts";

/** Where a write goes to: the same content elsewhere is another write. */
export interface WriteScope {
  readonly baseUrl: string;
  readonly environment: string;
  /** The process of a local sandbox, which forgets everything when it ends; undefined for any other service. */
  readonly instance?: string | undefined;
}

/** Of the service that a command talks to. */
export async function findScope(context: Context, { baseUrl, environment }: Connection): Promise<WriteScope> {
  const sandbox = await findSandboxAt(context, baseUrl);
  return { baseUrl, environment, ...(sandbox && { instance: formatProcess(sandbox) }) };
}

/** Whether a write went there. */
export const isInScope = (scope: WriteScope, entry: WriteRecord): boolean =>
  entry.baseUrl === scope.baseUrl &&
  entry.environment === scope.environment &&
  entry.instance === scope.instance;
