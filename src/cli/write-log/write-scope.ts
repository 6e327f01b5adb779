import type { Service } from "../connection/service.ts";
import type { Intent } from "./events.ts";
import type { WriteRecord } from "./write-record.ts";

/** The destination of a write. The same content for another destination is another write. */
export type WriteScope = Pick<Intent, "baseUrl" | "environment" | "instance">;

export async function findScope({ connection, findInstance }: Service): Promise<WriteScope> {
  const { baseUrl, environment } = connection;
  const instance = await findInstance();
  return { baseUrl, environment, ...(instance !== null && { instance }) };
}

/** Whether a record is of the service, but of another sandbox at its address. */
export const isOfOtherInstance = (scope: WriteScope, record: WriteRecord): boolean =>
  isOfService(scope, record) && !isInScope(scope, record);

const isOfService = ({ baseUrl, environment }: WriteScope, record: WriteRecord): boolean =>
  record.baseUrl === baseUrl && record.environment === environment;

/** A record or a service without an instance counts if the base URL is the same. */
export const isInScope = (scope: WriteScope, record: WriteRecord): boolean =>
  isOfService(scope, record) &&
  (record.instance === undefined || scope.instance === undefined || record.instance === scope.instance);
