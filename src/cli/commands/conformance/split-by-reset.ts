import type { TrafficRequest } from "../../../conformance/trial.ts";

/** Splits requests where their numbers begin again: a reset of the sandbox clears its log. At least one part, in order. */
export function splitByReset(requests: readonly TrafficRequest[]): TrafficRequest[][] {
  const inOrder = requests.toSorted(
    (one, other) => one.elapsedMs - other.elapsedMs || one.number - other.number,
  );
  const parts: TrafficRequest[][] = [[]];
  for (const request of inOrder) {
    const part = parts.at(-1) ?? [];
    if (request.number <= (part.at(-1)?.number ?? 0)) parts.push([request]);
    else part.push(request);
  }
  return parts;
}
