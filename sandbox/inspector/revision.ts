import type { Sandbox } from "../api/sandbox.ts";
import type { Engine } from "../engine/engine.ts";

/** With a running clock, what is due comes closer: a page is rendered again after so long. */
const RUNNING_CLOCK_STEP_MS = 15_000;

/** Differs after each change that a page could show. It costs much less than the page. */
export const readRevision = ({ clock, requestLog, sinks }: Engine, { faults, snapshots }: Sandbox): string =>
  JSON.stringify([
    snapshots.revision(),
    clock.isFrozen ? 0 : Math.floor(clock.now() / RUNNING_CLOCK_STEP_MS),
    requestLog.revision,
    ...[faults.list(), sinks.list(), snapshots.list()],
  ]);
