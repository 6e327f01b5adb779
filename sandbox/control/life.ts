import { countRows, countByState } from "../store/counts.ts";
import { clockState } from "./clock.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** Whether it lives, what it holds, and its end. */
export const LIFE_ROUTES: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/health",
    what: "whether it lives; without a token",
    open: true,
    answer: () => ({ status: "ok" }),
  },
  {
    method: "GET",
    path: "/ready",
    what: "503 until it is seeded, then 200; without a token",
    open: true,
    answer: () => ({ status: "ready" }),
  },
  { method: "GET", path: "/state", what: "clock, and how many of each thing it has", answer: state },
  { method: "POST", path: "/shutdown", what: "ends it", answer: shutdown },
];

function state({ engine }: ControlCall): Promise<object> {
  const { store, agenda } = engine;
  return agenda.allSettled(() => ({
    clock: clockState(engine),
    jobs: countByState(store, "job"),
    clients: countRows(store, "client"),
    claims: countByState(store, "claim"),
    offers: countByState(store, "offer"),
    scans: countByState(store, "scan"),
    endpoints: countByState(store, "endpoint"),
    deliveries: countByState(store, "delivery"),
    notifications: countByState(store, "notification"),
  }));
}

function shutdown({ ctx, options }: ControlCall): object {
  ctx.res.once("finish", options.onShutdownRequested);
  return { status: "closing" };
}
