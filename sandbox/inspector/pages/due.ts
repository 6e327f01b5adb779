import { redactUrl } from "../../../src/domain/net.ts";
import type { DueMark } from "../../../src/pages/pictures.tsx";
import type { Engine } from "../../engine/engine.ts";
import { formatTime } from "../../engine/scheduler/clock.ts";
import { AGENDA, listNextTasks, listTasksFor, type ScheduledTask } from "../../store/agenda.ts";
import { DELIVERIES } from "../../store/deliveries.ts";
import { JOBS } from "../../store/jobs.ts";
import { ACCESS_TOKENS } from "../../store/oauth-clients.ts";

/** The tasks that are due next, soonest first, and how many there are in all. */
export const listDue = (engine: Engine, limit: number) => ({
  tasks: listNextTasks(engine.store, limit).map((task) => nameTask(engine, task)),
  count: AGENDA.sum(engine.store, {}).count,
});

/** The tasks of one job or delivery. */
export const listDueFor = (engine: Engine, subject: string): DueMark[] =>
  listTasksFor(engine.store, subject).map((task) => nameTask(engine, task));

function nameTask({ store, webhooks }: Engine, { dueAt, kind, subject: id }: ScheduledTask): DueMark {
  const at = formatTime(dueAt);
  const [noun = "", verb = ""] = kind.split(".");
  if (noun === "job") {
    const seller = JOBS.find(store, { id })?.sellerName;
    const text = `job of ${seller || "a seller without a name"} ${verb === "start" ? "starts" : "ends"}`;
    return { at, text, lane: "jobs", subject: { kind: "job", id } };
  }
  const other = { at, lane: "requests" };
  if (noun === "scan") return { ...other, text: `scan ${verb === "start" ? "starts" : "ends"}` };
  if (noun === "token") {
    const partner = ACCESS_TOKENS.find(store, { digest: id })?.partner;
    return { ...other, text: `access token of partner ${partner ?? "?"} expires` };
  }
  const delivery = DELIVERIES.find(store, { id });
  if (!delivery) return { ...other, text: kind };
  const { label, url } = webhooks.endpoint(delivery.endpointId);
  const name = verb === "resend" ? "resend" : `attempt ${delivery.attemptCount + 1}`;
  const text = `${name}: ${delivery.eventType} to ${label} (${redactUrl(url)})`;
  return { at, text, lane: "deliveries", subject: { kind: "delivery", id } };
}
