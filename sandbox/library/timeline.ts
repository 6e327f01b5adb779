import { type ActivityLine, formatActivityLine } from "../../src/contract/activity/activity-line.ts";
import { describeEvent } from "../../src/contract/activity/describe-event.ts";
import { headerValues } from "../../src/domain/http-headers.ts";
import { redactUrl } from "../../src/domain/net.ts";
import type { AgendaItem, DebugOptions } from "../api/sandbox.ts";
import { checkFields, integer } from "../engine/check-fields.ts";
import type { Engine } from "../engine/engine.ts";
import type { Activity } from "../engine/recent-activity.ts";
import { redactText } from "../engine/request-log/redaction.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import { DELIVERIES } from "../store/deliveries.ts";
import { toEvent } from "./follow-activity.ts";

/** A failing test is about the latest items. */
const DEFAULT_LAST = 100;

/** Renders requests, runs, delivery attempts, the agenda and the faults as text. Redacted like the request log. */
export async function renderTimeline(engine: Engine, options: DebugOptions = {}): Promise<string> {
  const refusal = { what: "debug()", noun: "option" } as const;
  const { last = DEFAULT_LAST } = checkFields<DebugOptions>(options, { last: integer(1) }, refusal);
  return engine.quiescence.run(() => {
    const { clock, faults, scheduler, url } = engine;
    const activity = listActivity(engine);
    const agenda = scheduler.agenda();
    const rules = faults.list();
    const events = activity.slice(-last).map((item) => describeActivity(engine, item));
    const lines = [
      `Sandbox ${url}, ${formatTime(clock.now())} by its ${clock.isFrozen ? "frozen" : "running"} clock`,
      ...renderSection(
        `Events${activity.length > last ? `, the last ${last} of ${activity.length}` : ""}`,
        events.map((line) => `${line.at}  ${formatActivityLine(line)}`),
      ),
      ...renderSection(
        `Agenda${agenda.length > last ? `, the first ${last} of ${agenda.length}` : ""}`,
        agenda.slice(0, last).map((item) => `${item.dueAt}  ${describeTask(engine, item)}`),
      ),
      ...renderSection(
        "Faults, with applied and matching requests",
        rules.map(
          ({ id, description, matched, applied }) => `${id}. ${description} (${applied} of ${matched})`,
        ),
      ),
      "",
    ];
    return lines.map(redactText).join("\n");
  });
}

const renderSection = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];

/** What happened, in the order in which it began. */
export const listActivity = ({ recentActivity, requestLog }: Engine): Activity[] =>
  [...requestLog.entries(), ...recentActivity.list()].sort(
    (one, other) => one.timelinePosition - other.timelinePosition,
  );

/** What has ended does not change, and a page that refreshes describes hundreds of them. */
const cache = new WeakMap<Activity, ActivityLine>();

export function describeActivity(engine: Engine, item: Activity): ActivityLine {
  const line = cache.get(item) ?? createLine(engine, item);
  if (item.kind !== "request" || item.result !== null) cache.set(item, line);
  return line;
}

function createLine(engine: Engine, item: Activity): ActivityLine {
  const event = toEvent(item, engine.store);
  const line = describeEvent(event);
  if (event.event !== "request") return line;
  const [key] = headerValues(event.requestHeaders, "idempotency-key");
  return key === undefined ? line : { ...line, notes: [`key ${key}`, ...line.notes] };
}

function describeTask({ store, webhooks }: Engine, { kind, subject }: AgendaItem): string {
  const delivery = kind.startsWith("webhook.") ? DELIVERIES.find(store, { id: subject }) : undefined;
  if (!delivery) return `${kind} ${subject}`;
  const { url } = webhooks.endpoint(delivery.endpointId);
  return `${kind} ${subject}  ${delivery.eventType} to ${redactUrl(url)}`;
}
