import type { ComponentChildren } from "preact";
import { type ActivityLine, formatMilliseconds } from "../../../src/contract/activity/activity-line.ts";
import { formatDuration } from "../../../src/domain/times.ts";
import { Badge, SubjectLink } from "../../../src/pages/parts.tsx";
import { type Subject, useSite } from "../../../src/pages/site.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Activity } from "../../engine/recent-activity.ts";
import { describeForPeople } from "../../library/find-activity.ts";
import { groupRuns } from "../query.ts";

interface Event {
  readonly line: ActivityLine;
  readonly subject: Subject;
  /** How often the same poll came in a row, and since when; the line is the last one. */
  readonly repeats?: { readonly count: number; readonly ms: number };
}

export const ACTIVITY_TONES = { success: "ok", refusal: "warn", failure: "bad", none: "due" } as const;

export const toEvent = (engine: Engine, item: Activity): Event => ({
  line: describeForPeople(engine, item),
  subject: subjectOf(item),
});

export function subjectOf(item: Activity): Subject {
  if (item.kind === "job") return { kind: "job", id: item.jobId };
  if (item.kind === "attempt") return { kind: "delivery", id: item.deliveryId };
  return { kind: "request", id: String(item.number) };
}

/** Equal polls in a row are one event: the latest. */
export const foldPolls = (events: readonly Event[]): Event[] =>
  groupRuns(events, isSamePoll).map((run) => {
    const latest = run.at(-1) ?? run[0];
    if (run.length === 1) return latest;
    const ms = Date.parse(latest.line.at) - Date.parse(run[0].line.at);
    return { ...latest, repeats: { count: run.length, ms } };
  });

const isSamePoll = ({ line: one }: Event, { line: other }: Event): boolean =>
  other.verb === "GET" &&
  one.verb === other.verb &&
  one.subject === other.subject &&
  one.result === other.result &&
  one.notes.join() === other.notes.join();

interface EventListProps {
  readonly events: readonly Event[];
  readonly emptyMessage: ComponentChildren;
}

/** A line of an event has its time; the day has a line of its own. */
export const EventList = ({ events, emptyMessage }: EventListProps) =>
  events.length === 0 ? (
    <p class="note">{emptyMessage}</p>
  ) : (
    <ol class="events">
      {events.map((event, index) => (
        <>
          {dayOf(event) !== dayOf(events[index - 1]) && <li class="day">{dayOf(event)}</li>}
          <EventLine event={event} />
        </>
      ))}
    </ol>
  );

/** `2026-11-20` */
const dayOf = (event: Event | undefined): string => event?.line.at.slice(0, 10) ?? "";

/** The spaces between its parts are text: two of them must not read as one number where styles are off. */
function EventLine({ event: { line, subject, repeats } }: { readonly event: Event }) {
  const { at, tone, result, verb, subject: text, durationMs, label } = line;
  const { formToken, links } = useSite();
  // Without the part that nearly every line has.
  const notes = line.notes.filter((note) => note !== "partner 1, sandbox").join("; ");
  return (
    <li>
      <time datetime={at} title={at}>
        {at.slice("2026-11-20T".length, "2026-11-20T00:00:05".length)}
      </time>{" "}
      <Badge tone={ACTIVITY_TONES[tone]}>{result}</Badge>{" "}
      <SubjectLink subject={subject} class="what">
        {repeats && <b>{repeats.count} × </b>}
        {verb && <b>{verb}</b>} {text} {label && <small>{label}</small>}
      </SubjectLink>{" "}
      <span class="took">
        {repeats ? `in ${formatDuration(repeats.ms)}` : formatMilliseconds(durationMs)}
      </span>{" "}
      <span class="notes">
        {notes}
        {repeats && formToken !== null && (
          <a href={links.mainPage("timeline", { q: text, fold: "no" })}>Show each of them</a>
        )}
      </span>
    </li>
  );
}
