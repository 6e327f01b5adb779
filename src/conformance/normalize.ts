import type { JudgedRequest } from "./assess.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

const LOCAL_ORIGIN = /https?:\/\/(?:127\.0\.0\.1|\[::1\]|localhost):\d+/g;

/** Names ids and keys by the order of their first appearance in the requests, so that two runs give the same text. */
export function createNormalizer(requests: readonly JudgedRequest[]) {
  const keys = new Map<string, string>();
  const ids = new Map<string, string>();
  const name = (names: Map<string, string>, kind: string, value: string): string => {
    const count = [...names.values()].filter((each) => each.startsWith(`${kind} `)).length;
    const known = names.get(value) ?? `${kind} ${count + 1}`;
    names.set(value, known);
    return known;
  };
  const keyOf = ({ requestHeaders }: JudgedRequest): string | null => {
    const [, key] = requestHeaders.find(([header]) => header.toLowerCase() === "idempotency-key") ?? [];
    return key === undefined ? null : name(keys, "key", key);
  };
  const nameId = (id: string, kind = "id") => name(ids, kind, id.toLowerCase());
  for (const request of requests) {
    keyOf(request);
    const kind = request.operation?.startsWith("diligence.") ? "job" : "id";
    for (const id of request.target.match(UUID) ?? []) nameId(id, kind);
  }
  const text = (given: string): string => {
    let changed = given.replace(LOCAL_ORIGIN, "");
    for (const [key, known] of keys) changed = changed.replaceAll(key, known);
    return changed.replace(UUID, (id) => nameId(id));
  };
  return { keyOf, text };
}
