import { BROKER_ALIASES } from "../../../src/contract/aliases.ts";
import { groupBy } from "../../../src/domain/group-by.ts";
import type { KeyUse } from "../../../src/pages/keys.tsx";
import type { AliasUsage } from "../../../src/pages/state.tsx";
import type { RequestSummary } from "../../engine/request-log/logged-request.ts";

export interface KeyedRequest extends RequestSummary {
  /** Its Idempotency-Key; null without one. */
  readonly key: string | null;
}

/** Newest first. */
export function listKeys(requests: readonly KeyedRequest[]): KeyUse[] {
  const uses = new Map<string, KeyUse & { readonly requests: KeyUse["requests"][number][] }>();
  for (const { idempotentReplay, key, number, operation, outcome, status } of requests) {
    if (key === null || operation === null) continue;
    const id = `${operation} ${key}`;
    const use = uses.get(id) ?? { key, operation, requests: [] };
    use.requests.push({ number, status, isReplay: idempotentReplay, outcome });
    uses.set(id, use);
  }
  return [...uses.values()].reverse().slice(0, 100);
}

export function listAliases(requests: readonly RequestSummary[]): AliasUsage[] {
  const uses = groupBy(
    requests.filter(({ alias }) => alias),
    ({ route }) => route,
  );
  return BROKER_ALIASES.flatMap(({ path, canonicalPath, lifecycle }) => {
    const found = uses.get(path);
    return found ? [{ path, canonicalPath, lifecycle, requests: found.map(({ number }) => number) }] : [];
  });
}
