import { readMonotonic } from "../../../client/runtime.ts";
import type { ControlBody } from "../../../contract/control.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { fetchSandboxState } from "../../connection/sandbox-health.ts";
import type { Context } from "../../context.ts";
import { announceFrozenClock, stateGoneError } from "../../records/wait-for-end.ts";
import { type ControlClient, findControl } from "../../sandbox-control/control.ts";

type WaitCondition = ControlBody<"POST /wait">;

/** A sandbox that has restarted writes its locator file, with its new token, after it listens. */
const MAX_LOOKS = 20;
const LOOK_INTERVAL_MS = 250;

/**
 * Waits for a delivery or a job of a sandbox, also while the sandbox restarts: it refuses the token from before then. With
 * `--state`, it has the same records again.
 */
export async function waitAcrossRestarts(
  context: Context,
  control: ControlClient,
  condition: WaitCondition,
  timeoutMs: number,
) {
  const { url } = control.target;
  const deadline = readMonotonic(context) + timeoutMs;
  const stateAtStart = await fetchSandboxState(context, url).catch(() => null);
  const ended = new AbortController();
  void announceFrozenClockLater(context, control, ended.signal);
  let present = control;
  let leftMs = timeoutMs;
  try {
    for (let looks = 0; ; looks += 1) {
      try {
        return await sendWait(present, condition, leftMs);
      } catch (error) {
        const hasRestarted = error instanceof ClaimsError && error.code === "control_token_invalid";
        if (!hasRestarted || stateAtStart === null || looks === MAX_LOOKS) throw error;
        const state = await fetchSandboxState(context, url);
        const isOtherState = state !== null && state.instanceId !== stateAtStart.instanceId;
        if (isOtherState && namesRecord(condition)) throw stateGoneError("the record", url, error);
        await context.sleep(LOOK_INTERVAL_MS, context.signal);
        present = (await findControl(context, url)) ?? present;
        leftMs = Math.max(0, deadline - readMonotonic(context));
      }
    }
  } finally {
    ended.abort();
  }
}

/** Time for the response, beyond the timeout of the wait. */
const RESPONSE_GRACE_MS = 5_000;

const sendWait = (control: ControlClient, condition: WaitCondition, timeoutMs: number) =>
  control.send("POST /wait", "createdAt", {
    body: { ...condition, timeoutMs },
    timeoutMs: timeoutMs + RESPONSE_GRACE_MS,
    isRepeatable: true,
  });

/** Whether it is about a record that another state of the sandbox does not have. */
const namesRecord = ({ delivery, job }: WaitCondition): boolean =>
  (job?.id ?? delivery?.id ?? delivery?.endpointId) !== undefined;

const FROZEN_CLOCK_DELAY_MS = 250;

/** A wait that takes longer is usually one for work that falls due: with a frozen clock, it never does. */
async function announceFrozenClockLater(
  context: Context,
  { target }: ControlClient,
  signal: AbortSignal,
): Promise<void> {
  try {
    await context.sleep(FROZEN_CLOCK_DELAY_MS, signal);
    const state = await fetchSandboxState({ signal }, target.url);
    if (state?.isFrozen) announceFrozenClock(context, target);
  } catch {
    // The wait has ended, or fails itself.
  }
}
