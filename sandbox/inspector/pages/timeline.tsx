import type { VNode } from "preact";
import { formatCount } from "../../../src/domain/numbers.ts";
import { formatDuration } from "../../../src/domain/times.ts";
import { Chips, Search } from "../../../src/pages/filters.tsx";
import type { Lane, Mark } from "../../../src/pages/lanes.ts";
import { Section, SubjectLink, Time } from "../../../src/pages/parts.tsx";
import { TimePicture } from "../../../src/pages/pictures.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel, redactText } from "../../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../../engine/request-log/request-log.ts";
import { ACTIVITY_FILTERS, activityTone, findActivity } from "../../library/find-activity.ts";
import { readClock } from "../../library/read-state.ts";
import { type Activity, listActivity } from "../../library/timeline.ts";
import { JOBS } from "../../store/jobs.ts";
import { isFolded, readChoice, readSearch } from "../query.ts";
import { type DueTask, listDue } from "./due.ts";
import { EventList, foldPolls, subjectOf, toEvent } from "./events.tsx";
import { JOB_TONES } from "./jobs.tsx";

const LATEST_JOBS = { before: null, limit: 100 };

const MAX_DUE = 24;

/** @param limit the latest events */
export function renderTimelinePage(engine: Engine, query: URLSearchParams, limit: number): VNode {
  const activity = listActivity(engine);
  const show = readChoice(query, "show", ACTIVITY_FILTERS);
  const text = readSearch(query);
  const found = findActivity(engine, activity, show, text);
  const latest = found.slice(-limit).map((item) => toEvent(engine, item));
  const { tasks, count: dueCount } = listDue(engine, MAX_DUE);
  const { events, due } = redactModel({ events: isFolded(query) ? foldPolls(latest) : latest, due: tasks });
  const { now } = readClock(engine);
  const lanes = toLanes(engine, activity);
  return (
    <>
      <h1>Timeline</h1>
      <section class="card" data-live="picture">
        <TimePicture label="What happened, and what is due" lanes={lanes} now={now} due={due} />
        {due.length > 0 && <DueList due={due} dueCount={dueCount} now={now} />}
      </section>
      <div class="filters">
        <Chips label="Show" name="show" all="All" values={ACTIVITY_FILTERS} />
        <Search label="Path, id or error" />
      </div>
      <Section title="Events" live="events">
        {events.length === 0 && <NoEvents isFiltered={show !== undefined || text !== ""} />}
        <EventList events={events.toReversed()} />
        {found.length > latest.length && (
          <p class="note">
            The latest {latest.length} of {formatCount(found.length, "event")}.
          </p>
        )}
      </Section>
    </>
  );
}

const NoEvents = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <p class="note">Nothing passes the filters.</p>
  ) : (
    <p class="note">
      Nothing has happened yet. Send a request:{" "}
      <code>claims diligence submit entries.csv --seller-name Example</code>
    </p>
  );

const MAX_DUE_LINES = 6;

interface DueListProps {
  readonly due: readonly DueTask[];
  readonly dueCount: number;
  readonly now: string;
}

const DueList = ({ due, dueCount, now }: DueListProps) => (
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

/** Only the titles have what others chose: to redact whole models of a thousand marks would take longer than the page. */
function toLanes({ clock, store }: Engine, activity: readonly Activity[]): Lane[] {
  const requests = activity.filter((item) => "method" in item);
  const attempts = activity.filter((item) => "deliveryId" in item);
  const jobs = JOBS.list(store, {}, LATEST_JOBS).reverse();
  return [
    { name: "requests", marks: requests.map(toRequestMark) },
    {
      name: "jobs",
      marks: jobs.map(({ id, createdAt, finishedAt, sellerName, state }) => ({
        at: createdAt,
        until: finishedAt ?? clock.now(),
        tone: JOB_TONES[state] ?? "due",
        title: redactText(`job of ${sellerName}: ${state}`),
        subject: { kind: "job", id },
      })),
    },
    {
      name: "deliveries",
      marks: attempts.map((item) => ({
        at: item.at,
        tone: TONES[activityTone(item)],
        subject: subjectOf(item),
        title: redactText(
          `${item.eventType}, attempt ${item.number}: ${item.responseStatus ?? item.error?.code}`,
        ),
      })),
    },
    { name: "faults", marks: requests.filter(({ trace }) => trace.fault !== null).map(toRequestMark) },
  ];
}

const TONES = { success: "ok", refusal: "warn", failure: "bad", none: "due" } as const;

const toRequestMark = (item: RecordedRequest): Mark => ({
  at: item.at,
  tone: TONES[activityTone(item)],
  subject: subjectOf(item),
  title: redactText(
    `#${item.number} ${item.method} ${item.target.split("?")[0]}: ${item.result?.status ?? "–"}`,
  ),
});
