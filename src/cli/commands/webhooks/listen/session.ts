import { setImmediate } from "node:timers/promises";
import type { Cause } from "../../../../domain/webhooks/explain/causes.ts";
import { explain } from "../../../../domain/webhooks/explain/explain.ts";
import type { Suspect } from "../../../../domain/webhooks/explain/secrets.ts";
import { type Forwarded, type Forwarder, worstAnswer } from "./forward.ts";
import type { Goal } from "./goal.ts";
import type { Incoming } from "./incoming.ts";
import { type Judged, judge, statusOf } from "./judge.ts";
import type { Recorder } from "./record.ts";
import type { Reply } from "./server.ts";
import { type Told, toldAsJson } from "./told.ts";

interface Parts {
  readonly secrets: readonly string[];
  readonly suspects: readonly Suspect[];
  /** Milliseconds. */
  readonly tolerance: number | undefined;
  readonly forwardUnverified: boolean;
  readonly forwarder: Forwarder;
  readonly recorder: Recorder | null;
  readonly goal: Goal;
  tell(told: Told): void;
}

/** What happens to a delivery: judge, record, forward, answer, explain, tell. */
export class Session {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async receive(incoming: Incoming, answer: (reply: Reply) => void): Promise<void> {
    const { goal, recorder, tell } = this.#parts;
    const number = goal.admit();
    if (number === null) {
      answer({ status: 503, text: "the listener has had what it waited for\n", retryAfter: "5" });
      return;
    }
    const judged = judge(incoming, this.#parts);
    const isWhole = judged.verdict !== "too_large";
    const file = isWhole ? ((await recorder?.keep(incoming, number)) ?? null) : null;
    const forwarded = this.#isForwarded(judged) ? await this.#forward(incoming, judged) : [];
    const reply = replyTo(judged, forwarded);
    answer(reply);
    const told: Told = {
      ...{ number, receivedAt: new Date(incoming.at).toISOString(), path: incoming.path },
      ...judged,
      ...{ bytes: incoming.size, causes: await this.#causes(incoming, judged), answered: reply.status },
      ...{ forwarded, file },
    };
    await recorder?.note(toldAsJson(told));
    tell(told);
    goal.saw(told);
  }

  /** Interface §6, rule 4: what does not verify goes nowhere, unless somebody wants to see what their app makes of it. */
  #isForwarded({ verdict }: Judged): boolean {
    return verdict === "valid" || (this.#parts.forwardUnverified && verdict !== "too_large");
  }

  #forward(incoming: Incoming, { event, claimedEvent }: Judged): Promise<readonly Forwarded[]> {
    return this.#parts.forwarder.forward(incoming, event ?? claimedEvent);
  }

  /** After the answer: a search takes longer than a sender should wait, and the next delivery may come in between. */
  async #causes({ headers, body }: Incoming, { verdict }: Judged): Promise<readonly Cause[] | null> {
    const { secrets, suspects } = this.#parts;
    const isFaulty = verdict === "mismatch" || verdict === "missing_header" || verdict === "malformed";
    if (!isFaulty || body.length > MOST_EXPLAINED) return null;
    await setImmediate();
    return explain({ secrets, suspects, headers, body }).causes;
  }
}

/** Bytes; a longer search would hold up what comes meanwhile, and `verify` can make it later. */
const MOST_EXPLAINED = 1 << 20;

/** Where an app has taken it over, the app's answer counts, but for what is refused here. */
function replyTo({ verdict, reason }: Judged, forwarded: readonly Forwarded[]): Reply {
  const status = statusOf(verdict);
  if (status >= 400) return { status, text: `${reason}\n` };
  if (forwarded.length === 0) return { status, text: "received\n" };
  const worst = worstAnswer(forwarded);
  return { ...worst, text: `forwarded: ${worst.status}\n` };
}
