import type { VNode } from "preact";
import { formatCount } from "../../../src/domain/numbers.ts";
import { Chips, Search } from "../../../src/pages/filters.tsx";
import { DueTime, Section, SubjectLink } from "../../../src/pages/parts.tsx";
import { type DueMark, type Lane, type Mark, TimePicture } from "../../../src/pages/pictures.tsx";
import type { Engine } from "../../engine/engine.ts";
import type { Activity } from "../../engine/recent-activity.ts";
import { redactModel, redactText } from "../../engine/request-log/redaction.ts";
import { ACTIVITY_FILTERS, activityTone, findActivity } from "../../library/find-activity.ts";
import { listActivity } from "../../library/timeline.ts";
import { JOBS } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { isFolded, readChoice, readSearch } from "../query.ts";
import { listDue } from "./due.ts";
import { ACTIVITY_TONES, EventList, foldPolls, subjectOf, toEvent } from "./events.tsx";
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
  return (
    <>
      <h1>Timeline</h1>
      <Section live="picture">
        <TimePicture
          label="What happened, and what is due"
          lanes={toLanes(engine.store, activity)}
          due={due}
        />
        {due.length > 0 && <DueList due={due} dueCount={dueCount} />}
      </Section>
      <div class="filters">
        <Chips label="Show" name="show" all="All" values={ACTIVITY_FILTERS} />
        <Search label="Path, id or error" />
      </div>
      <Section title="Events" live="events">
        <EventList
          events={events.toReversed()}
          emptyMessage={show !== undefined || text !== "" ? "Nothing passes the filters." : <FirstStep />}
        />
        {found.length > latest.length && (
          <p class="note">
            The latest {latest.length} of {formatCount(found.length, "event")}.
          </p>
        )}
      </Section>
    </>
  );
}

const FirstStep = () => (
  <>
    Nothing has happened yet. Send a request:{" "}
    <code>claims diligence submit entries.csv --seller-name Example</code>
  </>
);

const MAX_DUE_LINES = 6;

const DueList = ({ due, dueCount }: { readonly due: readonly DueMark[]; readonly dueCount: number }) => (
  <>
    <h2>Due</h2>
    <ol class="due-list">
      {due.slice(0, MAX_DUE_LINES).map(({ at, text, subject }) => (
        <li>
          <DueTime at={at} /> <SubjectLink subject={subject}>{text}</SubjectLink>
        </li>
      ))}
    </ol>
    {dueCount > MAX_DUE_LINES && <p class="note">… and {formatCount(dueCount - MAX_DUE_LINES, "other")}.</p>}
  </>
);

/** Only the titles have what others chose: to redact whole models of a thousand marks would take longer than the page. */
function toLanes(store: Store, activity: readonly Activity[]): Lane[] {
  const requests = activity.filter((item) => item.kind === "request");
  const jobs = JOBS.list(store, {}, LATEST_JOBS).reverse();
  return [
    { name: "requests", marks: requests.map(toMark) },
    {
      name: "jobs",
      marks: jobs.map(({ id, createdAt, finishedAt, sellerName, state }) => ({
        at: createdAt,
        until: finishedAt,
        tone: JOB_TONES[state],
        title: redactText(`job of ${sellerName}: ${state}`),
        subject: { kind: "job", id },
      })),
    },
    { name: "deliveries", marks: activity.filter((item) => item.kind === "attempt").map(toMark) },
    { name: "faults", marks: requests.filter(({ trace }) => trace.fault !== null).map(toMark) },
  ];
}

const toMark = (item: Exclude<Activity, { kind: "job" }>): Mark => ({
  at: item.at,
  tone: ACTIVITY_TONES[activityTone(item)],
  subject: subjectOf(item),
  title: redactText(
    item.kind === "request"
      ? `#${item.number} ${item.method} ${item.target.split("?")[0]}: ${item.result?.status ?? "–"}`
      : `${item.eventType}, attempt ${item.number}: ${item.responseStatus ?? item.error?.code}`,
  ),
});
