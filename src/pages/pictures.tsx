import { formatDuration, formatTime } from "../domain/times.ts";
import { ActionForm, type Tone } from "./parts.tsx";
import { type Subject, useSite } from "./site.ts";

// Pictures are SVG without a width: places are percentages of the page's own width, and sizes are pixels.

export interface Mark {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The end of what takes time; null before it. */
  readonly until?: number | null;
  readonly tone: Tone;
  readonly title: string;
  readonly subject?: Subject;
}

export interface Lane {
  readonly name: string;
  /** In their order. */
  readonly marks: readonly Mark[];
}

/** Something that waits on the clock. */
export interface DueMark {
  /** RFC 3339 */
  readonly at: string;
  readonly text: string;
  /** The name of a lane; by default the last one. */
  readonly lane?: string;
  readonly subject?: Subject;
}

/** Marks of one lane that are nearer to each other are one mark. */
const COLUMNS = 160;
const LANE_HEIGHT = 40;

/** Where the past ends and what is due begins, in percent. */
const NOW = 78;
const DUE_FROM = 81;
const DUE_DISTANCE = 3.2;

type Scale = ReturnType<typeof createScale>;

/**
 * Places of times: one step, and another for each doubling of the gap, so that seconds and days fit into one picture. Marks of
 * one lane at the same time, as with a frozen clock, stand side by side.
 */
function createScale(lanes: readonly Lane[], now: number, width: number) {
  const slots = new Map([[now, 1]]);
  for (const { marks } of lanes) {
    const counts = new Map<number, number>();
    for (const mark of marks) {
      const end = endOf(mark, now);
      counts.set(end, counts.get(end) ?? 1);
      counts.set(mark.at, (counts.get(mark.at) ?? 0) + 1);
    }
    for (const [at, count] of counts) slots.set(at, Math.max(count, slots.get(at) ?? 0));
  }
  const times = [...slots.keys()].sort((one, other) => one - other);
  const starts = new Map<number, number>();
  let steps = -1;
  for (const [index, time] of times.entries()) {
    steps += 1 + Math.log2(1 + (time - (times[index - 1] ?? time)) / 1_000);
    starts.set(time, steps);
    steps += (slots.get(time) ?? 1) - 1;
  }
  const place = (time: number, slot = 0): number =>
    1 + (((starts.get(time) ?? 0) + slot) / Math.max(1, steps)) * (width - 1);
  return { times, place, end: width };
}

const endOf = ({ at, until = at }: Mark, now: number): number => until ?? now;

type Placed = Mark & { readonly x: number; readonly count: number };

const SEVERITY: readonly Tone[] = ["ok", "due", "warn", "bad"];

/** A mark for each column, of the worst result in it. */
function placeMarks({ marks }: Lane, { place }: Scale): Placed[] {
  const columns = new Map<number, Placed>();
  let [last, slot] = [Number.NaN, 0];
  for (const mark of marks) {
    slot = mark.at === last ? slot + 1 : 0;
    last = mark.at;
    const x = place(mark.at, slot);
    const column = Math.round((x * COLUMNS) / 100);
    const other = columns.get(column);
    const isWorse = !other || SEVERITY.indexOf(mark.tone) > SEVERITY.indexOf(other.tone);
    columns.set(column, { ...(isWorse ? mark : other), x, count: (other?.count ?? 0) + 1 });
  }
  return [...columns.values()];
}

interface TimePictureProps {
  readonly label: string;
  readonly lanes: readonly Lane[];
  /** Soonest first. */
  readonly due: readonly DueMark[];
}

/** What happened, a lane for each kind, and behind the line for now what is due: a click moves the clock there. */
export function TimePicture({ label, lanes, due }: TimePictureProps) {
  const now = Date.parse(useSite().now);
  const scale = createScale(lanes, now, due.length > 0 ? NOW : 99);
  const height = lanes.length * LANE_HEIGHT;
  return (
    <>
      <svg class="picture" height={height + 22} role="group" aria-label={label}>
        {lanes.map((lane, index) => (
          <g>
            <text y={middleOf(index) - 14}>{lane.name}</text>
            <line class="lane" x1="0" x2="100%" y1={middleOf(index)} y2={middleOf(index)} />
            {placeMarks(lane, scale).map((mark) => (
              <MarkLink mark={mark} y={middleOf(index)} end={scale.place(endOf(mark, now))} />
            ))}
          </g>
        ))}
        <line class="now" x1={`${scale.end}%`} x2={`${scale.end}%`} y1="16" y2={height} />
        <Ticks scale={scale} y={height + 15} />
        <DueMarks due={due} now={now} lanes={lanes} />
      </svg>
      {due.length > 0 && <ActionForm path="/clock" id="move-clock" label="Move the clock to what is due" />}
    </>
  );
}

const middleOf = (lane: number): number => lane * LANE_HEIGHT + 26;

/** Not a stop of the Tab key: the list below the picture has the same links. */
function MarkLink({ mark, y, end }: { mark: Placed; y: number; end: number }) {
  const { links } = useSite();
  const { x, tone, title, count, subject } = mark;
  return (
    <a {...(subject && { href: links.subject(subject) })} tabindex={-1}>
      <title>{count > 1 ? `${count} in this place, one of them: ${title}` : title}</title>
      {end > x && <rect class={tone} x={`${x}%`} width={`${end - x}%`} y={y - 4} height="8" rx="4" />}
      <Glyph x={x} y={y} tone={tone} size={count > 1 ? 5.5 : 4} />
    </a>
  );
}

/** Results differ in form as well as in colour. */
const FORMS: Readonly<Record<Tone, string>> = {
  ok: "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0Z",
  due: "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0Z",
  warn: "M0-1.3 1.3 0 0 1.3-1.3 0Z",
  bad: "M-1-1H1V1H-1Z",
};

const Glyph = ({ x, y, tone, size }: { x: number; y: number; tone: Tone; size: number }) => (
  <svg x={`${x}%`} y={y} overflow="visible">
    <path class={tone} d={FORMS[tone]} transform={`scale(${size})`} />
  </svg>
);

/** Percent between two labels: they must not touch on a narrow page. */
const TICK_DISTANCE = 26;

function Ticks({ scale: { times, place, end }, y }: { scale: Scale; y: number }) {
  // `11-20 06:30` in a long run, `06:30:05` in a short one.
  const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > 86_400_000;
  const [from, to] = isLong ? [5, 16] : [11, 19];
  const ticks: { time: number; x: number }[] = [];
  for (const time of times) {
    const x = place(time);
    const isFree = x - (ticks.at(-1)?.x ?? -TICK_DISTANCE) >= TICK_DISTANCE;
    if (isFree && x <= end - TICK_DISTANCE / 2) ticks.push({ time, x });
  }
  return (
    <>
      {ticks.map(({ time, x }) => (
        <text x={`${x}%`} y={y} text-anchor={x < 5 ? "start" : "middle"}>
          {new Date(time).toISOString().slice(from, to).replace("T", " ")}
        </text>
      ))}
      <text x={`${end}%`} y={y} text-anchor={end > 90 ? "end" : "middle"} class="strong">
        now
      </text>
    </>
  );
}

/** The moments that are due first; the list below the picture has others. */
const MAX_MOMENTS = 6;

/** The button of each moment is of the form `move-clock`, which is outside of the picture. */
function DueMarks({ due, now, lanes }: Pick<TimePictureProps, "due" | "lanes"> & { now: number }) {
  const { formToken } = useSite();
  const [next] = due;
  if (!next) return null;
  const moments = [...new Set(due.map(({ at }) => at))].slice(0, MAX_MOMENTS);
  const nextIn = Date.parse(next.at) - now;
  return (
    <>
      <text x="100%" y="12" text-anchor="end">
        {nextIn > 0 ? `next in ${formatDuration(nextIn)}` : "next: now"}
      </text>
      {moments.map((at, index) => {
        const own = due.filter((each) => each.at === at);
        const title = `${formatTime(at)}: ${own.map(({ text }) => text).join("; ")}`;
        const x = DUE_FROM + index * DUE_DISTANCE;
        const lane = lanes.findIndex(({ name }) => name === own[0]?.lane);
        const y = middleOf(lane < 0 ? lanes.length - 1 : lane);
        if (formToken === null) return <Glyph x={x} y={y} tone="due" size={5} />;
        return (
          <foreignObject x={`${x}%`} y={y - 7} width="14" height="14">
            <button class="due" form="move-clock" name="to" value={at} title={`Move to ${title}`}>
              <span class="hidden">Move to {title}</span>
            </button>
          </foreignObject>
        );
      })}
    </>
  );
}
