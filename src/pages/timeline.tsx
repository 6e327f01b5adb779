import { Fragment } from "preact";
import { type ActivityLine, formatMilliseconds } from "../domain/activity/activity-line.ts";
import type { ClockModel } from "./layout.tsx";
import { Badge, Section, Time } from "./parts.tsx";
import { type Subject, useSite } from "./site.ts";

/** Something that happened. */
export interface TimelineEvent {
  readonly line: ActivityLine;
  readonly subject: Subject | null;
}

/** Something that waits on the clock. */
interface DueTask {
  /** RFC 3339 */
  readonly at: string;
  readonly text: string;
  readonly subject: Subject | null;
}

export interface TimelineModel {
  readonly clock: ClockModel;
  /** The latest ones, newest last. */
  readonly events: readonly TimelineEvent[];
  readonly eventCount: number;
  /** Soonest first. */
  readonly due: readonly DueTask[];
}

export const Timeline = ({ events, eventCount, due }: TimelineModel) => (
  <>
    <h1>Timeline</h1>
    <div data-live="due">{due.length > 0 && <DueList due={due} />}</div>
    <EventList events={[...events].reverse()} eventCount={eventCount} />
  </>
);

const MAX_DUE_LINES = 24;

const DueList = ({ due }: Pick<TimelineModel, "due">) => (
  <Section title="Due">
    <ol class="events due">
      {due.slice(0, MAX_DUE_LINES).map(({ at, text, subject }) => (
        <li key={`${at} ${text}`}>
          <Time at={at} isFull />
          <Badge tone="due">due</Badge>
          <What subject={subject} text={text} />
        </li>
      ))}
    </ol>
    {due.length > MAX_DUE_LINES && <p class="note">… and {due.length - MAX_DUE_LINES} more.</p>}
  </Section>
);

const EventList = ({ events, eventCount }: Pick<TimelineModel, "events" | "eventCount">) => (
  <Section title="Events" live="events">
    {events.length === 0 && (
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
    {eventCount > events.length && (
      <p class="note">
        The latest {events.length} of {eventCount}.
      </p>
    )}
  </Section>
);

/** `2026-11-20` */
const dayOf = (event: TimelineEvent | undefined): string => event?.line.at.slice(0, 10) ?? "";

/** Without the part that nearly every line has. */
const shownNotes = ({ notes }: ActivityLine): string =>
  notes.filter((note) => note !== "partner 1, sandbox").join("; ");

const TONES = { success: "ok", refusal: "warn", failure: "bad" } as const;

function EventLine({ event: { line, subject } }: { readonly event: TimelineEvent }) {
  const { at, tone, result, verb, subject: text, durationMs, label } = line;
  const notes = shownNotes(line);
  return (
    <li>
      <Time at={at} />
      <Badge tone={TONES[tone]}>{result}</Badge>
      <What subject={subject} verb={verb} text={text} label={label} />
      {durationMs !== null && <span class="took">{formatMilliseconds(durationMs)}</span>}
      {notes && <span class="notes">{notes}</span>}
    </li>
  );
}

interface WhatProps {
  readonly subject: Subject | null;
  readonly verb?: string;
  readonly text: string;
  readonly label?: string;
}

/** A link to the page of its request, job or delivery. */
function What({ subject, verb, text, label }: WhatProps) {
  const { links } = useSite();
  const what = (
    <>
      {verb && <b>{verb}</b>} {text} {label && <small>{label}</small>}
    </>
  );
  if (subject === null) return <span class="what">{what}</span>;
  return (
    <a class="what" href={links[subject.kind](subject.id)}>
      {what}
    </a>
  );
}
