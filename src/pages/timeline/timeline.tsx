import { Fragment } from "preact";
import type { ActivityLine } from "../../domain/activity/activity-line.ts";
import type { ClockModel } from "../layout.tsx";
import { Badge, Section, Time } from "../parts.tsx";
import { useSite } from "../site.ts";
import { type Lane, listDueEvents, listEvents, type TimelineData, type TimelineEvent } from "./events.ts";
import { Lanes } from "./lanes.tsx";

/** From the query, so that a view is a link. */
export interface TimelineFilter {
  readonly kind: Exclude<Lane, "other"> | "";
  /** A status, or a class such as `4xx`; a state of a job. */
  readonly result: string;
  /** Text in the line. */
  readonly text: string;
  /** Lines at most. */
  readonly limit: number;
}

export interface TimelineModel extends TimelineData {
  readonly clock: ClockModel;
  readonly filter: TimelineFilter;
}

export const DEFAULT_LIMIT = 200;

export function Timeline(model: TimelineModel) {
  const { links } = useSite();
  const past = listEvents(model, links);
  const due = listDueEvents(model, links);
  return (
    <>
      <h1>Timeline</h1>
      <Lanes past={past} due={due} clock={model.clock} />
      {due.length > 0 && <DueList due={due} />}
      <EventList past={past} filter={model.filter} />
    </>
  );
}

const MAX_DUE_LINES = 8;

const DueList = ({ due }: { readonly due: readonly TimelineEvent[] }) => (
  <Section title="Due" live="due">
    <ol class="events">
      {due.slice(0, MAX_DUE_LINES).map((event) => (
        <EventLine key={`${event.line.at} ${event.order}`} event={event} isFull />
      ))}
    </ol>
    {due.length > MAX_DUE_LINES && <p class="note">… and {due.length - MAX_DUE_LINES} more.</p>}
  </Section>
);

function EventList({
  past,
  filter,
}: {
  readonly past: readonly TimelineEvent[];
  readonly filter: TimelineFilter;
}) {
  const { formToken } = useSite();
  const matching = past.filter((event) => matches(event, filter));
  const shown = matching.slice(-filter.limit).reverse();
  return (
    <section class="card">
      <h2>Events</h2>
      {formToken !== null && <FilterForm filter={filter} />}
      <div data-live="events">
        {shown.length === 0 && <EmptyNote isFiltered={past.length > 0} />}
        <ol class="events">
          {shown.map((event, index) => (
            <Fragment key={`${event.line.at} ${event.order}`}>
              {dayOf(event) !== dayOf(shown[index - 1]) && <li class="day">{dayOf(event)}</li>}
              <EventLine event={event} />
            </Fragment>
          ))}
        </ol>
        {matching.length > shown.length && <MoreLink filter={filter} count={matching.length} />}
      </div>
    </section>
  );
}

/** `2026-11-20` */
const dayOf = (event: TimelineEvent | undefined): string => event?.line.at.slice(0, 10) ?? "";

const EmptyNote = ({ isFiltered }: { readonly isFiltered: boolean }) => (
  <p class="note">
    {isFiltered ? "No event matches the filter." : "Nothing has happened yet. Send a request: "}
    {!isFiltered && <code>claims diligence submit entries.csv --seller-name Example</code>}
  </p>
);

function MoreLink({ filter, count }: { readonly filter: TimelineFilter; readonly count: number }) {
  const { formToken, links } = useSite();
  const text = `The latest ${filter.limit} of ${count}.`;
  if (formToken === null) return <p class="note">{text}</p>;
  const { kind, result, text: search } = filter;
  return (
    <p class="note">
      {text} <a href={links.timeline({ kind, result, text: search, limit: String(count) })}>Show all</a>
    </p>
  );
}

const KIND_TEXTS = { "": "all", request: "requests", job: "jobs", delivery: "deliveries" };

function FilterForm({ filter }: { readonly filter: TimelineFilter }) {
  const { links } = useSite();
  return (
    <form method="get" action={links.timeline()} class="filter" aria-label="Filter the events">
      <label>
        Kind{" "}
        <select name="kind">
          {Object.entries(KIND_TEXTS).map(([value, text]) => (
            <option key={value} value={value} selected={filter.kind === value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        Result <input name="result" value={filter.result} placeholder="4xx" size={8} />
      </label>
      <label>
        Text <input name="text" type="search" value={filter.text} placeholder="path, seller, reason" />
      </label>
      <button type="submit">Filter</button>
      {(filter.kind || filter.result || filter.text) && <a href={links.timeline()}>Clear</a>}
    </form>
  );
}

function matches({ lane, line }: TimelineEvent, { kind, result, text }: TimelineFilter): boolean {
  const isResult = result === "" || line.result === result || `${line.result[0]}xx` === result.toLowerCase();
  return (
    (kind === "" || lane === kind) &&
    isResult &&
    (text === "" || searchText(line).includes(text.toLowerCase()))
  );
}

const searchText = ({ verb, subject, notes }: ActivityLine): string =>
  [verb, subject, ...notes].join(" ").toLowerCase();

/** Without the parts that every line has. */
const shownNotes = ({ notes }: ActivityLine): string =>
  notes.filter((note) => note !== "partner 1, sandbox").join("; ");

const TONES = { success: "ok", refusal: "warn", failure: "bad" } as const;

function EventLine({ event, isFull = false }: { readonly event: TimelineEvent; readonly isFull?: boolean }) {
  const { line, href, isDue } = event;
  const { at, tone, result, verb, subject, durationMs, label } = line;
  const notes = shownNotes(line);
  const what = (
    <>
      <b>{verb}</b> {subject} {label && <small>{label}</small>}
    </>
  );
  return (
    <li>
      <Time at={at} isFull={isFull} />
      <Badge tone={isDue ? "due" : TONES[tone]}>{result}</Badge>
      {href === null ? (
        <span class="what">{what}</span>
      ) : (
        <a class="what" href={href}>
          {what}
        </a>
      )}
      {durationMs !== null && <span class="took">{Math.round(durationMs * 10) / 10} ms</span>}
      {notes && <span class="notes">{notes}</span>}
    </li>
  );
}
