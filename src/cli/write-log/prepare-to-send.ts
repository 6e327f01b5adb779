import { randomUUID } from "node:crypto";
import { ClaimsError } from "../../domain/errors.ts";
import { formatTime } from "../../domain/times.ts";
import type { Context } from "../context.ts";
import { printMessage } from "../output/stderr.ts";
import {
  decideWrite,
  NO_KEYS,
  sendsDuplicates,
  unknownOutcomeError,
  type WriteChoice,
  type WriteDecision,
} from "./decide-write.ts";
import type { BegunWrite, LoggedWrites } from "./logged-writes.ts";
import type { WritePlan } from "./write-plan.ts";
import type { WriteRecord } from "./write-record.ts";

/** Between two looks at a write that another process is sending. */
const POLL_MS = 200;

type PreparedWrite =
  | { readonly kind: "begun"; readonly begun: BegunWrite; readonly repeated: WriteRecord | null }
  | Extract<WriteDecision, { kind: "use_earlier" | "refuse" }>;

/** Looks at the log until the intent is in it, or an earlier write is the result. Null if the run was stopped. */
export async function prepareToSend(
  context: Context,
  writes: LoggedWrites,
  plan: WritePlan,
  newKey: string,
): Promise<PreparedWrite | null> {
  const { write } = plan;
  let choice: WriteChoice = plan;
  let key = newKey;
  let isPrepared = false;
  let shown: string | null = null;
  const show = (note: string | null) => {
    if (note !== null && note !== shown) printMessage(context, note);
    shown = note;
  };
  for (;;) {
    const decide = (records: readonly WriteRecord[]) => decideWrite(context, records, write, choice);
    const records = await writes.read(write);
    const damage = writes.findUnreadableLine();
    if (damage && !sendsDuplicates(choice)) throw damage;
    if (damage) show(`warning: ${damage.message}; ${damage.hint}`);
    const decision = decide(records);
    switch (decision.kind) {
      case "refuse":
        return decision;
      case "use_earlier":
        show(decision.note);
        return decision;
      case "wait":
        show(decision.note);
        await context.sleep(POLL_MS, context.signal);
        continue;
      case "ask_contract": {
        const obstacle = await findObstacle(writes, decision.record, plan);
        if (obstacle) return { kind: "refuse", error: obstacle, record: decision.record };
        choice = { ...choice, hasKeySupport: true };
        continue;
      }
      case "ask_person":
        if (!(await plan.askToRepeat?.(decision.question)))
          return { kind: "refuse", error: decision.error, record: null };
        choice = { ...choice, onDuplicate: "submit" };
        // A key that is made from the content would get the earlier job.
        key = randomUUID();
        continue;
    }
    const repeated = decision.kind === "repeat" ? decision.record : null;
    if (!isPrepared) {
      if (repeated === null) await plan.check?.();
      await plan.confirm?.();
      isPrepared = true;
    }
    // Another write may have stopped the run in the meantime.
    if (plan.isStopped?.()) return null;
    // A service that keeps the key would return the earlier job.
    if (records.some((record) => record.key === key && record.outcome === "accepted")) key = randomUUID();
    const begun = { ...write, key: plan.idempotencyKey ?? repeated?.key ?? key };
    show(decision.kind === "repeat" ? describeRepeat(decision.record, begun.key) : decision.warning);
    if (await writes.begin(begun, (current) => isSameDecision(decide(current), decision)))
      return { kind: "begun", begun, repeated };
  }
}

/** Whether nothing happened in the log between two looks that matters for the write. */
function isSameDecision(one: WriteDecision, other: WriteDecision): boolean {
  if (one.kind === "repeat" && other.kind === "repeat") return one.record.key === other.record.key;
  return one.kind === other.kind;
}

/** Why a write cannot be repeated under its key: that would be a second write. The log keeps it, for `claims history`. */
async function findObstacle(
  writes: LoggedWrites,
  record: WriteRecord,
  { isKeySupported }: WritePlan,
): Promise<ClaimsError | null> {
  try {
    if (await isKeySupported()) return null;
  } catch (error) {
    if (error instanceof ClaimsError) return error;
    throw error;
  }
  await writes.recordMissingKeySupport(record);
  return unknownOutcomeError(record, NO_KEYS);
}

const describeRepeat = ({ at }: WriteRecord, key: string): string =>
  `warning: the outcome of the same write at ${formatTime(at)} is unknown; sending it again with key ${key}`;
