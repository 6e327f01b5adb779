import { parseDuration } from "../../../src/domain/duration.ts";
import type { FaultEffect, FaultPhase } from "../../../src/domain/faults/fault.ts";

export interface Fault {
  readonly phase: FaultPhase;
  /** Milliseconds of wall time. */
  readonly delayMs: number;
  readonly then: FaultEffect;
  /** As in `rule 3 (flaky)`. */
  readonly source: string;
  readonly description: string;
}

export const createFault = (
  { phase, then }: { readonly phase: FaultPhase; readonly then: FaultEffect },
  source: string,
): Fault => ({
  phase,
  delayMs: parseDuration(then.delay ?? "0s") ?? 0,
  then,
  source,
  description: `${source}: ${describeFault(phase, then)}`,
});

export function describeFault(phase: FaultPhase, then: FaultEffect): string {
  const parts = [
    then.delay && `delay ${then.delay}`,
    then.status && String(then.status),
    then.retryAfter !== undefined && `Retry-After ${then.retryAfter}`,
    then.reset && "connection reset",
    then.hang && "no response",
    then.truncate && "half a body",
  ].filter(Boolean);
  return `${parts.join(", ")} ${phase} the work`;
}
