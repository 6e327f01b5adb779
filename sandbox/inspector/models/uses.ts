import { BROKER_ALIASES } from "../../../src/contract/aliases.ts";
import type { AliasUsage, KeyUse } from "../../../src/pages/state.tsx";
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
  const uses = new Map<string, number[]>();
  for (const { alias, number, route } of requests) {
    if (!alias || route === null) continue;
    const numbers = uses.get(route) ?? [];
    numbers.push(number);
    uses.set(route, numbers);
  }
  return BROKER_ALIASES.flatMap(({ path, canonicalPath, lifecycle }) => {
    const numbers = uses.get(path);
    return numbers ? [{ path, canonicalPath, lifecycle, requests: numbers }] : [];
  });
}
