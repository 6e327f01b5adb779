import type { LoggedRequest, Sandbox } from "../../../../sandbox/index.ts";
import { findRush, isExecuted, isOperation, isResult, pauseBefore } from "../../../conformance/traffic.ts";
import type { Context } from "../../context.ts";

// What a scenario does while the program runs, by the requests that end.

/** A program has recorded the job by its first read, or after this time. */
const KILL_DELAY_MS = 5_000;

const readsJob = (request: LoggedRequest): boolean =>
  isResult(request) || isOperation(request, "diligence.status");

/** Requests with a pause before them after which a program has shown that it pauses, and requests without. */
const PAUSED_REQUESTS = 2;
const HASTY_REQUESTS = 400;

/** Longer than a busy machine mostly delays a request that is sent at once. */
const PAUSE_MS = 100;

/** Of all requests: a very busy machine delays some that are sent at once. */
const PAUSED_SHARE = 1 / 2;

/** Calls a function after few requests of a program that pauses before them, and after many of one that does not. */
function countPauses(isCounted: (request: LoggedRequest) => boolean, onEnough: () => void) {
  let paused = 0;
  let requests: LoggedRequest[] = [];
  return (request: LoggedRequest): void => {
    if (!isCounted(request)) return;
    // A program may send requests of several kinds before each pause.
    const own = requests.filter(({ operation }) => operation === request.operation);
    const previous = own.at(-1);
    if (requests.length === 0 || (previous && pauseBefore(request, previous) >= PAUSE_MS)) paused += 1;
    requests.push(request);
    const isPatient = paused >= PAUSED_REQUESTS && paused / requests.length >= PAUSED_SHARE;
    const isShown = requests.length >= HASTY_REQUESTS || findRush([...own, request]).length > 0;
    if (!isPatient && !isShown) return;
    paused = 0;
    requests = [request];
    onEnough();
  };
}

/** Lets a held job make a step after some reads: queued, processing, completed. */
export const createJobStepper = (sandbox: Sandbox) =>
  countPauses(
    readsJob,
    // A rejection means that the sandbox is closing.
    () => void advanceJob(sandbox).catch(() => {}),
  );

/** Fails each read of a status until the program has paused. */
export function createPauseFault(sandbox: Sandbox) {
  const { id } = sandbox.faults.add({ match: { operation: "diligence.status" }, then: { status: 503 } });
  let isOver = false;
  return countPauses(
    ({ operation, fault }) => operation === "diligence.status" && fault !== null,
    () => {
      if (!isOver) sandbox.faults.clear(id);
      isOver = true;
    },
  );
}

/** Moves the clock to the next step of a job, and resolves to false if no job waits. */
export async function advanceJob({ clock }: Sandbox): Promise<boolean> {
  const step = clock.agenda().find(({ kind }) => kind.startsWith("job."));
  if (step) await clock.advance(step.dueAt);
  return step !== undefined;
}

/** Kills a run of the program when it has had the time to record the job of its submission. */
export function createKiller({ sleep }: Context, kill: () => void) {
  let isAccepted = false;
  return (request: LoggedRequest): void => {
    if (isAccepted && readsJob(request)) kill();
    const isSubmission = isOperation(request, "diligence.submit") && request.outcome === "answered";
    if (isAccepted || !isSubmission || !isExecuted(request)) return;
    isAccepted = true;
    void sleep(KILL_DELAY_MS).then(kill);
  };
}
