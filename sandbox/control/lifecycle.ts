import { countByState, countRows } from "../store/counts.ts";
import { renderClock } from "./clock.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** Whether it lives, what it holds, and its end. */
export const LIFECYCLE_ROUTES: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/health",
    summary: "whether it lives; without a token",
    isPublic: true,
    handle: () => ({ status: "ok" }),
  },
  {
    method: "GET",
    path: "/ready",
    summary: "503 until it is seeded, then 200; without a token",
    isPublic: true,
    handle: () => ({ status: "ready" }),
  },
  { method: "GET", path: "/state", summary: "clock, and how many of each thing it has", handle: readState },
  { method: "POST", path: "/shutdown", summary: "ends it", handle: shutdown },
];

function readState({ engine }: ControlCall): Promise<object> {
  const { store, idle } = engine;
  return idle.whenSettled(() => ({
    clock: renderClock(engine),
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
