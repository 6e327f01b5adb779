import { type CaseId, listCaseIds, type ProbeDelivery } from "../../domain/webhooks/probe/cases.ts";
import type { ProbeResponse } from "../../domain/webhooks/probe/responses.ts";
import { DRILLS, type DrillId, type DrillInput, getDrill, isDrillId, MAX_IN_FLIGHT } from "./drills.ts";
import { RECEIVER_RULES, type ReceiverRule } from "./rules.ts";
import { CONTROL_CASE, type ReceiverPart, type ReceiverTrial } from "./trial.ts";

interface TrialOptions extends Omit<DrillInput, "now"> {
  readonly parts: readonly ReceiverPart[];
  /** How long a response, and an effect, is waited for. */
  readonly timeoutMs: number;
  readonly sendCase: (id: CaseId) => Promise<ProbeResponse>;
  readonly send: (delivery: ProbeDelivery) => Promise<ProbeResponse>;
  /** The number of events that the receiver has processed. */
  readonly readEffects?: (() => Promise<number>) | undefined;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly onPart?: (part: ReceiverPart) => void;
}

/** What some rules need, in the order of sending: the control case, drills, cases, the burst. */
export function planParts(rules: readonly ReceiverRule[]): readonly ReceiverPart[] {
  const isAny = rules.some(({ parts }) => parts === "any");
  const needed = new Set(
    (isAny ? RECEIVER_RULES : rules).flatMap(({ parts }) => (parts === "any" ? [] : parts)),
  );
  needed.delete(CONTROL_CASE);
  // A receiver that limits its requests would reject what follows the burst.
  const drills = (Object.keys(DRILLS) as DrillId[]).filter((id) => id !== "drill.burst");
  const order: readonly ReceiverPart[] = [...drills, ...listCaseIds(), "drill.burst"];
  return [CONTROL_CASE, ...order.filter((part) => needed.has(part))];
}

/** Each of them takes the whole timeout. */
const MAX_TIMEOUTS = 3;

/** Sends the parts one after the other. */
export async function runReceiverTrial(options: TrialOptions): Promise<ReceiverTrial> {
  const { parts, secrets, timeoutMs, onPart } = options;
  const deliveries: ReceiverTrial["deliveries"][number][] = [];
  const effects = options.readEffects ? new Map<DrillId, number | null>() : null;
  const add = (part: ReceiverPart, responses: readonly ProbeResponse[]) => {
    for (const response of responses) deliveries.push({ number: deliveries.length + 1, part, response });
  };
  const hasStopped = () =>
    deliveries.filter(({ response }) => response.error === "timeout").length >= MAX_TIMEOUTS;
  for (const part of parts) {
    if (hasStopped()) break;
    onPart?.(part);
    if (!isDrillId(part)) add(part, [await options.sendCase(part)]);
    else if (isPossible(part)) add(part, await sendDrill(part));
  }
  return { deliveries, effects, timeoutMs, secretCount: secrets.length, wasStopped: hasStopped() };

  function isPossible(drill: DrillId): boolean {
    const [control] = deliveries;
    return (
      control?.response.outcome === "accepted" && !(getDrill(drill).needsSecondSecret && secrets.length < 2)
    );
  }

  async function sendDrill(id: DrillId): Promise<readonly ProbeResponse[]> {
    const drill = getDrill(id);
    const counts = drill.repeatsEvent ? effects : null;
    const before = counts && (await readSettledEffects());
    const responses: ProbeResponse[] = [];
    for (const round of drill.make({ ...options, now: options.now() }))
      responses.push(...(await sendTogether(round)));
    if (before === null) counts?.set(id, null);
    else counts?.set(id, ((await readSettledEffects(before)) ?? before) - before);
    return responses;
  }

  async function sendTogether(round: readonly ProbeDelivery[]): Promise<readonly ProbeResponse[]> {
    const responses: ProbeResponse[] = [];
    const queue = round.entries();
    const sendNext = async () => {
      for (const [index, delivery] of queue) responses[index] = await options.send(delivery);
    };
    await Promise.all(Array.from({ length: MAX_IN_FLIGHT }, sendNext));
    return responses;
  }

  /**
   * A receiver can process an event after its response: waits until the count is above another one, and stays.
   *
   * @returns null for a count that never stays
   */
  async function readSettledEffects(above = -1): Promise<number | null> {
    const { readEffects = async () => 0, now, sleep } = options;
    const pauseMs = Math.min(SETTLE_MS, timeoutMs);
    const deadline = now() + timeoutMs;
    for (let count = await readEffects(); ; ) {
      await sleep(pauseMs);
      const next = await readEffects();
      const isOver = now() >= deadline;
      if (next === count && (next > above || isOver)) return next;
      if (isOver) return null;
      count = next;
    }
  }
}

/** How long a count has to stay. */
const SETTLE_MS = 500;
