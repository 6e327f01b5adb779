import type { JSX } from "preact";
import { formatActivityLine } from "../../domain/activity/activity-line.ts";
import type { ClockModel } from "../layout.tsx";
import { LANES, type Lane, type TimelineEvent } from "./events.ts";
import { placeMoments } from "./time-axis.ts";

/** More marks would touch each other. */
const MAX_PAST = 60;
const MAX_DUE = 24;

const ROW_HEIGHT = 26;
const LANE_GAP = 10;
const TOP = 26;
const GUTTER_WIDTH = 92;
const MAX_ROWS = 6;

const LANE_NAMES: Readonly<Record<Lane | "fault", string>> = {
  request: "Requests",
  fault: "Faults",
  job: "Jobs",
  delivery: "Deliveries",
  other: "Other tasks",
};

interface PlacedEvent {
  readonly event: TimelineEvent;
  /** Percent of the width. */
  readonly x: number;
  readonly row: number;
}

interface LanesProps {
  readonly past: readonly TimelineEvent[];
  readonly due: readonly TimelineEvent[];
  readonly clock: ClockModel;
}

/** What happened and what is due, as marks on lanes. */
export function Lanes({ past, due, clock }: LanesProps) {
  const shownPast = past.slice(-MAX_PAST);
  const shownDue = due.slice(0, MAX_DUE);
  const events = [...shownPast, ...shownDue];
  const axis = placeMoments(
    events.map(({ time, order }) => ({ at: time, order })),
    Date.parse(clock.now),
  );
  const placed = events.map((event, index) => ({ event, x: axis.positions[index] ?? 0 }));
  const faults = placed.filter(({ event }) => event.fault !== null);
  let top = TOP;
  const lanes = [
    ...LANES.slice(0, 1),
    ...(faults.length > 0 ? (["fault"] as const) : []),
    ...LANES.slice(1).filter(
      (lane) => lane !== "other" || placed.some(({ event }) => event.lane === "other"),
    ),
  ].map((lane) => {
    const rows = lane === "fault" ? faults.map((each) => ({ ...each, row: 0 })) : packRows(placed, lane);
    const height = (Math.max(0, ...rows.map(({ row }) => row)) + 1) * ROW_HEIGHT;
    const placedLane = { lane, rows, top, height };
    top += height + LANE_GAP;
    return placedLane;
  });
  const height = top + 22;
  const hidden = past.length - shownPast.length + due.length - shownDue.length;
  return (
    <figure class="lanes" data-live="lanes">
      <div class="scroll" tabindex={0} role="region" aria-label="Lanes of the timeline">
        <svg width="100%" height={height} role="group" aria-label="Timeline of requests, jobs and deliveries">
          <rect class="future" x={`${axis.now}%`} y={0} width={`${100 - axis.now}%`} height={height} />
          {lanes.map(({ lane, top: y, height: laneHeight }) => (
            <line key={lane} class="rule" x1="0" x2="100%" y1={y + laneHeight + 5} y2={y + laneHeight + 5} />
          ))}
          {axis.gaps.map(({ x, label }) => (
            <text key={x} class="gap" x={`${x}%`} y={height - 6}>
              {label}
            </text>
          ))}
          <line class="now" x1={`${axis.now}%`} x2={`${axis.now}%`} y1="0" y2={height} />
          <text
            class={axis.now > 85 ? "now end" : "now"}
            x={`${axis.now}%`}
            dx={axis.now > 85 ? -6 : 6}
            y="13"
          >
            now {clock.now.slice(11, 19)}
          </text>
          {lanes.map(({ lane, rows, top: y }) => (
            <g key={lane}>
              {lane !== "fault" && lane !== "request" && joinMarks(rows, y)}
              {rows.map(({ event, x, row }) => (
                <Mark
                  key={`${event.time} ${event.order} ${event.isDue}`}
                  event={event}
                  x={x}
                  y={y + row * ROW_HEIGHT + ROW_HEIGHT / 2 + 3}
                  isFault={lane === "fault"}
                />
              ))}
            </g>
          ))}
        </svg>
      </div>
      {/* Beside the box that scrolls, so that the names stay. */}
      <svg class="names" width={GUTTER_WIDTH} height={height} aria-hidden="true">
        <rect class="gutter" width={GUTTER_WIDTH} height={height} />
        {lanes.map(({ lane, top: y, height: laneHeight }) => (
          <g key={lane}>
            <text class="lane" x="14" y={y + ROW_HEIGHT / 2 + 7}>
              {LANE_NAMES[lane]}
            </text>
            <line class="rule" x2={GUTTER_WIDTH} y1={y + laneHeight + 5} y2={y + laneHeight + 5} />
          </g>
        ))}
      </svg>
      <figcaption>
        <Legend />
        <span>
          Steps grow with the logarithm of the time between.
          {hidden > 0 && ` ${hidden} more events are in the list.`}
        </span>
      </figcaption>
    </figure>
  );
}

/** Gives each job and each delivery a row of its own as long as there is one free. */
function packRows(placed: readonly Omit<PlacedEvent, "row">[], lane: Lane): PlacedEvent[] {
  const own = placed.filter(({ event }) => event.lane === lane);
  const spans = new Map<string, { from: number; to: number }>();
  for (const { event, x } of own) {
    const span = spans.get(event.subject ?? "");
    spans.set(event.subject ?? "", { from: Math.min(span?.from ?? x, x), to: Math.max(span?.to ?? x, x) });
  }
  const ends: number[] = [];
  const rows = new Map<string, number>();
  for (const [subject, { from, to }] of spans) {
    const free = ends.findIndex((end) => end < from);
    const row = free >= 0 ? free : Math.min(ends.length, MAX_ROWS - 1);
    ends[row] = Math.max(ends[row] ?? 0, to);
    rows.set(subject, row);
  }
  return own.map(({ event, x }) => ({ event, x, row: rows.get(event.subject ?? "") ?? 0 }));
}

/** Joins the marks of one job or delivery. */
function joinMarks(rows: readonly PlacedEvent[], top: number): JSX.Element[] {
  const bySubject = new Map<string, PlacedEvent[]>();
  for (const placed of rows) {
    const { subject } = placed.event;
    if (subject !== null) bySubject.set(subject, [...(bySubject.get(subject) ?? []), placed]);
  }
  return [...bySubject].flatMap(([subject, marks]) =>
    marks
      .slice(1)
      .map(({ event, x, row }, index) => (
        <line
          key={`${subject} ${index}`}
          class={event.isDue ? "join due" : "join"}
          x1={`${marks[index]?.x ?? x}%`}
          x2={`${x}%`}
          y1={top + row * ROW_HEIGHT + ROW_HEIGHT / 2 + 3}
          y2={top + row * ROW_HEIGHT + ROW_HEIGHT / 2 + 3}
        />
      )),
  );
}

interface MarkProps {
  readonly event: TimelineEvent;
  readonly x: number;
  readonly y: number;
  readonly isFault: boolean;
}

/** A link whose shape, not only its colour, says how it went. */
function Mark({ event, x, y, isFault }: MarkProps) {
  const { line, href, isDue, fault } = event;
  const title = isFault
    ? `fault: ${fault}`
    : `${isDue ? `due ${line.at}` : line.at}  ${formatActivityLine(line)}`;
  const tone = isDue ? "due" : isFault ? "fault" : line.tone;
  const shape = (
    <>
      <title>{title}</title>
      <Shape tone={tone} />
    </>
  );
  return (
    <svg x={`${x}%`} y={y} overflow="visible" class={`mark ${tone}`}>
      {href === null ? (
        <g role="img" aria-label={title}>
          {shape}
        </g>
      ) : (
        <a href={href} aria-label={title}>
          <circle class="target" r="12" />
          {shape}
        </a>
      )}
    </svg>
  );
}

function Shape({ tone }: { readonly tone: string }) {
  if (tone === "refusal") return <path d="M0-6.5 6.5 0 0 6.5-6.5 0z" />;
  if (tone === "failure") return <rect x="-5" y="-5" width="10" height="10" rx="1" />;
  if (tone === "fault") return <path d="M0-6 6.5 5.5h-13z" />;
  return <circle r={tone === "due" ? 5 : 5.5} />;
}

const LEGEND = [
  ["success", "answered or delivered"],
  ["refusal", "refused (4xx), or partial"],
  ["failure", "failed"],
  ["fault", "fault"],
  ["due", "due"],
] as const;

const Legend = () => (
  <ul class="legend" aria-label="Legend">
    {LEGEND.map(([tone, text]) => (
      <li key={tone}>
        <svg width="16" height="16" viewBox="-8 -8 16 16" class={`mark ${tone}`} aria-hidden="true">
          <Shape tone={tone} />
        </svg>
        {text}
      </li>
    ))}
  </ul>
);
