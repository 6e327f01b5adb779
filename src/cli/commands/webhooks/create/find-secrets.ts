import { isRecord } from "../../../../domain/json.ts";
import { idOf, type ServiceRecord } from "../../../records/paged-list.ts";

interface FoundSecret {
  readonly secret: string;
  /** The innermost object with an id around the secret; without an id, the object that has the secret. */
  readonly endpoint: ServiceRecord;
}

/** Finds the signing secrets of a response by their documented name, at any depth (product.md §4). */
export function findSecrets(value: unknown, outer: ServiceRecord = {}): readonly FoundSecret[] {
  if (Array.isArray(value)) return value.flatMap((each) => findSecrets(each, outer));
  if (!isRecord(value)) return [];
  const endpoint = idOf(value) === null && idOf(outer) !== null ? outer : value;
  const { signingSecret: secret } = value;
  const own = typeof secret === "string" && secret !== "" ? [{ secret, endpoint }] : [];
  return [...own, ...Object.values(value).flatMap((each) => findSecrets(each, endpoint))];
}

/** Removes the members that are the secret or are named after it, and redacts it in other text. */
export function removeSecret<T>(value: T, secret: string): T;
export function removeSecret(value: unknown, secret: string): unknown {
  if (typeof value === "string") return value.replaceAll(secret, "[redacted]");
  if (Array.isArray(value)) return value.map((each) => removeSecret(each, secret));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name, each]) => each !== secret && !name.includes(secret));
  return Object.fromEntries(kept.map(([name, each]) => [name, removeSecret(each, secret)]));
}
