import type { ClockState, SandboxState } from "../api/control.ts";
import type { Engine } from "../engine/engine.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import { CLAIMS, OFFERS } from "../store/claims.ts";
import { CLIENTS } from "../store/clients.ts";
import { DELIVERIES } from "../store/deliveries.ts";
import { ENDPOINTS } from "../store/endpoints.ts";
import { JOBS } from "../store/jobs.ts";
import { NOTIFICATIONS } from "../store/notifications.ts";
import { SCANS } from "../store/scans.ts";

export const readClock = ({ clock }: Engine): ClockState => ({
  now: formatTime(clock.now()),
  frozen: clock.isFrozen,
});

export function readState(engine: Engine): SandboxState {
  const { store } = engine;
  return {
    clock: readClock(engine),
    jobs: JOBS.countBy(store, "state"),
    clients: CLIENTS.sum(store, {}).count,
    claims: CLAIMS.countBy(store, "status"),
    offers: OFFERS.countBy(store, "status"),
    scans: SCANS.countBy(store, "state"),
    endpoints: ENDPOINTS.countBy(store, "status"),
    deliveries: DELIVERIES.countBy(store, "status"),
    notifications: NOTIFICATIONS.countBy(store, "status"),
  };
}
