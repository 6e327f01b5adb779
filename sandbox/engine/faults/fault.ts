import type { FaultEffect, FaultPhase } from "../../../src/contract/fault-rules.ts";
import { parseDuration } from "../../../src/domain/duration.ts";

export interface Fault {
  readonly phase: FaultPhase;
  /** Milliseconds of wall time. */
  readonly delayMs: number;
  readonly then: FaultEffect;
  /** Names the rule, as in `rule 3 (flaky)`. */
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
  const parts: Readonly<Record<keyof FaultEffect, unknown>> = {
    delay: then.delay && `delay ${then.delay}`,
    status: then.status,
    retryAfter: then.retryAfter !== undefined && `Retry-After ${then.retryAfter}`,
    reset: then.reset && "connection reset",
    hang: then.hang && "no response",
    truncate: then.truncate && "half a body",
  };
  return `${Object.values(parts).filter(Boolean).join(", ")} ${phase} the work`;
}
