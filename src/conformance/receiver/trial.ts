import type { CaseId } from "../../domain/webhooks/probe/cases.ts";
import type { ProbeResponse } from "../../domain/webhooks/probe/responses.ts";
import type { DrillId } from "./drills.ts";

/** A case of the probe, or a drill. */
export type ReceiverPart = CaseId | DrillId;

interface ReceivedDelivery {
  /** Counted from 1, in the order of sending. */
  readonly number: number;
  readonly part: ReceiverPart;
  readonly response: ProbeResponse;
}

/** What a receiver did. */
export interface ReceiverTrial {
  readonly deliveries: readonly ReceivedDelivery[];
  /**
   * How much a counter of processed events rose in each drill that repeats an event; null without one, and for a counter
   * that changes all the time.
   */
  readonly effects: ReadonlyMap<DrillId, number | null> | null;
  /** How long each response was waited for. */
  readonly timeoutMs: number;
  readonly secretCount: number;
  /** Whether the rest was not sent, because the receiver did not respond to what was sent. */
  readonly wasStopped: boolean;
}

/** The simplest genuine delivery. A receiver that does not accept it shows nothing else. */
export const CONTROL_CASE = "raw.compact" satisfies CaseId;
