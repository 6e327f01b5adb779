import { formatProcess } from "../../process/identity.ts";
import type { Connection } from "../connection/connection.ts";
import type { WriteRecord } from "./write-record.ts";

/** The destination of a write. The same content for another destination is another write. */
export interface WriteScope {
  readonly baseUrl: string;
  readonly environment: string;
  /** The process of a local sandbox, which loses its data when it ends; undefined for other services. */
  readonly instance?: string | undefined;
}

export async function findScope({ baseUrl, environment, findSandbox }: Connection): Promise<WriteScope> {
  const sandbox = await findSandbox?.();
  return { baseUrl, environment, ...(sandbox && { instance: formatProcess(sandbox) }) };
}

export const isInScope = (scope: WriteScope, record: WriteRecord): boolean =>
  record.baseUrl === scope.baseUrl &&
  record.environment === scope.environment &&
  record.instance === scope.instance;
