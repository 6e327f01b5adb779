import { countDeliveries } from "../store/deliveries.ts";
import { countEndpoints } from "../store/endpoints.ts";
import { countJobs } from "../store/jobs.ts";
import { countNotifications } from "../store/notifications.ts";
import { clockState } from "./clock.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** Whether it lives, what it holds, and its end. */
export const LIFE_ROUTES: readonly ControlRoute[] = [
  { method: "GET", path: "/health", open: true, answer: () => ({ status: "ok" }) },
  { method: "GET", path: "/ready", open: true, answer: () => ({ status: "ready" }) },
  { method: "GET", path: "/state", answer: state },
  { method: "POST", path: "/shutdown", answer: shutdown },
];

function state({ engine }: ControlCall): Promise<object> {
  return engine.agenda.allSettled(() => ({
    clock: clockState(engine),
    jobs: countJobs(engine.store),
    endpoints: countEndpoints(engine.store),
    deliveries: countDeliveries(engine.store),
    notifications: countNotifications(engine.store),
  }));
}

function shutdown({ ctx, options }: ControlCall): object {
  ctx.res.once("finish", options.onShutdownRequested);
  return { status: "closing" };
}
