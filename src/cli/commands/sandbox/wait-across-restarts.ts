import { readMonotonic } from "../../../client/runtime.ts";
import type { ControlBody } from "../../../contract/control.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { fetchSandboxState } from "../../connection/sandbox-health.ts";
import type { Context } from "../../context.ts";
import { announceFrozenClock, stateGoneError } from "../../records/wait-for-end.ts";
import { type ControlClient, findPresentControl } from "../../sandbox-control/control.ts";

/** Time for the response, beyond the timeout of the wait. */
const RESPONSE_GRACE_MS = 5_000;

/** A sandbox that has restarted writes its state file, with its token, after it listens. */
const MAX_LOOKS = 20;
const LOOK_INTERVAL_MS = 250;

/** A sandbox that restarts refuses the token. With the state of a file, it has the records again. */
export async function waitInState(
  context: Context,
  control: ControlClient,
  condition: ControlBody<"POST /wait">,
  timeoutMs: number,
) {
  const { url } = control.target;
  const deadline = readMonotonic(context) + timeoutMs;
  let leftMs = timeoutMs;
  const state = await fetchSandboxState(context, url).catch(() => null);
  const wait = (target: ControlClient) => {
    const body = { ...condition, timeoutMs: leftMs };
    const limits = { timeoutMs: leftMs + RESPONSE_GRACE_MS, isRepeatable: true };
    return target.send("POST /wait", "createdAt" as never, { body, ...limits });
  };
  const ended = new AbortController();
  void announceLater(context, control, ended.signal);
  try {
    for (let target = control, restarts = 0; ; restarts += 1) {
      try {
        return await wait(target);
      } catch (error) {
        const isRestarted = error instanceof ClaimsError && error.code === "control_token_invalid";
        if (!isRestarted || state === null || restarts === MAX_LOOKS) throw error;
        const present = await fetchSandboxState(context, url);
        const { job, delivery } = condition;
        const needsState = (job?.id ?? delivery?.id ?? delivery?.endpointId) !== undefined;
        if (needsState && present && present.instanceId !== state.instanceId)
          throw stateGoneError("the record", url, error);
        await context.sleep(LOOK_INTERVAL_MS, context.signal);
        target = (await findPresentControl(context, url)) ?? target;
        leftMs = Math.max(0, deadline - readMonotonic(context));
      }
    }
  } finally {
    ended.abort();
  }
}

/** A wait that goes on is usually one for work that falls due: with a frozen clock, it never does. */
const FROZEN_CLOCK_DELAY_MS = 250;

async function announceLater(
  context: Context,
  { target }: ControlClient,
  signal: AbortSignal,
): Promise<void> {
  try {
    await context.sleep(FROZEN_CLOCK_DELAY_MS, signal);
    if ((await fetchSandboxState({ signal }, target.url))?.isFrozen) announceFrozenClock(context, target);
  } catch {
    // The wait has ended, or fails itself.
  }
}
