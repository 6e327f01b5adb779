import { Fragment } from "preact";
import { type ActivityLine, formatMilliseconds } from "../domain/activity/activity-line.ts";
import { formatCount } from "../domain/numbers.ts";
import { formatDuration } from "../domain/times.ts";
import { Chips, Search } from "./filters.tsx";
import type { DueMark, Lane } from "./lanes.ts";
import type { ClockModel } from "./layout.tsx";
import { Badge, Section, SubjectLink, Time } from "./parts.tsx";
import { TimePicture } from "./pictures.tsx";
import { type Subject, useSite } from "./site.ts";

export interface TimelineEvent {
  readonly line: ActivityLine;
  readonly subject: Subject | null;
  /** How often the same poll came in a row; the line is the last one. */
  readonly repeats?: { readonly count: number; readonly ms: number };
}

/** Something that waits on the clock. */
export interface DueTask extends DueMark {
  readonly subject: Subject | null;
}

export interface TimelineModel {
  readonly clock: ClockModel;
  readonly lanes: readonly Lane[];
  /** The latest ones, newest last. */
  readonly events: readonly TimelineEvent[];
  /** Of the events that pass the filters. */
  readonly eventCount: number;
  readonly isFiltered: boolean;
  /** Soonest first. */
  readonly due: readonly DueTask[];
  readonly dueCount: number;
}

export const Timeline = ({ clock, lanes, events, eventCount, isFiltered, due, dueCount }: TimelineModel) => (
  <>
    <h1>Timeline</h1>
    <section class="card" data-live="picture">
      <TimePicture label="What happened, and what is due" lanes={lanes} now={clock.now} due={due} />
      {due.length > 0 && <DueList due={due} dueCount={dueCount} now={clock.now} />}
    </section>
    <div class="filters">
      <Chips label="Show" name="show" all="All" values={SHOWN} />
      <Search label="Path, id or error" />
    </div>
    <EventList events={[...events].reverse()} eventCount={eventCount} isFiltered={isFiltered} />
  </>
);

export const SHOWN = ["failed", "writes", "webhooks", "jobs"] as const;

const MAX_DUE_LINES = 6;

const DueList = ({ due, dueCount, now }: Pick<TimelineModel, "due" | "dueCount"> & { now: string }) => (
  <>
    <h2>Due</h2>
    <ol class="due-list">
      {due.slice(0, MAX_DUE_LINES).map(({ at, text, subject }) => (
        <li key={`${at} ${text}`}>
          <Time at={at} isFull />{" "}
          <small>
            {Date.parse(at) > Date.parse(now)
              ? `in ${formatDuration(Date.parse(at) - Date.parse(now))}`
              : "now"}
          </small>{" "}
          <SubjectLink subject={subject}>{text}</SubjectLink>
        </li>
      ))}
    </ol>
    {dueCount > MAX_DUE_LINES && <p class="note">… and {formatCount(dueCount - MAX_DUE_LINES, "other")}.</p>}
  </>
);

type EventListProps = Pick<TimelineModel, "events" | "eventCount" | "isFiltered">;

const EventList = ({ events, eventCount, isFiltered }: EventListProps) => (
  <Section title="Events" live="events">
    {events.length === 0 && isFiltered && <p class="note">Nothing passes the filters.</p>}
    {events.length === 0 && !isFiltered && (
      <p class="note">
        Nothing has happened yet. Send a request:{" "}
        <code>claims diligence submit entries.csv --seller-name Example</code>
      </p>
    )}
    <ol class="events">
      {events.map((event, index) => (
        <Fragment key={`${event.line.at} ${event.line.label} ${index}`}>
          {dayOf(event) !== dayOf(events[index - 1]) && <li class="day">{dayOf(event)}</li>}
          <EventLine event={event} />
        </Fragment>
      ))}
    </ol>
    {eventCount > countEvents(events) && (
      <p class="note">
        The latest {countEvents(events)} of {formatCount(eventCount, "event")}.
      </p>
    )}
  </Section>
);

const countEvents = (events: readonly TimelineEvent[]): number =>
  events.reduce((sum, { repeats }) => sum + (repeats?.count ?? 1), 0);

/** `2026-11-20` */
const dayOf = (event: TimelineEvent | undefined): string => event?.line.at.slice(0, 10) ?? "";

/** Without the part that nearly every line has. */
const shownNotes = ({ notes }: ActivityLine): string =>
  notes.filter((note) => note !== "partner 1, sandbox").join("; ");

const TONES = { success: "ok", refusal: "warn", failure: "bad" } as const;

/** The spaces between its parts are text: two of them must not read as one number where styles are off. */
export function EventLine({ event: { line, subject, repeats } }: { readonly event: TimelineEvent }) {
  const { at, tone, result, verb, subject: text, durationMs, label } = line;
  const { formToken, links } = useSite();
  const notes = shownNotes(line);
  return (
    <li>
      <Time at={at} /> <Badge tone={TONES[tone]}>{result}</Badge>{" "}
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
          <a href={links.list("timeline", { q: text, fold: "no" })}>Show each of them</a>
        )}
      </span>
    </li>
  );
}
