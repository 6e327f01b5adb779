/** A moment on the axis; several marks may share it. */
export interface AxisMoment {
  /** Milliseconds since 1970 */
  readonly at: number;
  /** Orders moments of one time. */
  readonly order: number;
}

export interface AxisGap {
  /** Percent of the width. */
  readonly x: number;
  readonly label: string;
}

export interface TimeAxis {
  /** Percent of the width for each moment, in order. */
  readonly positions: readonly number[];
  readonly now: number;
  /** Time that passes between two moments, where there is room for it. */
  readonly gaps: readonly AxisGap[];
}

const LEFT = 2;
const RIGHT = 98;

/** Percent of the width that a label needs. */
const LABEL_WIDTH = 5;

/**
 * Places moments in order. A step is as wide as the logarithm of the time that passes: five seconds and ten hours fit on one
 * axis, and so do many moments of a frozen clock, which all have one time.
 *
 * @param moments sorted
 */
export function placeMoments(moments: readonly AxisMoment[], now: number): TimeAxis {
  const pastCount = moments.filter(({ at }) => at <= now).length;
  const stops = [
    ...moments.slice(0, pastCount).map(({ at }) => at),
    now,
    ...moments.slice(pastCount).map(({ at }) => at),
  ];
  const steps = stops.map((at, index) => (index === 0 ? 0 : stepWidth(at - (stops[index - 1] ?? at))));
  // Room on the right of now, where nothing is due.
  const total = steps.reduce((sum, step) => sum + step, 0) + (pastCount === moments.length ? 1 : 0);
  let sum = 0;
  const places = steps.map((step) => {
    sum += step;
    return round(total === 0 ? LEFT : LEFT + (sum / total) * (RIGHT - LEFT));
  });
  const gaps: AxisGap[] = [];
  let lastLabel = Number.NEGATIVE_INFINITY;
  for (const [index, at] of stops.entries()) {
    const [before = at, from = 0, to = 0] = [stops[index - 1], places[index - 1], places[index]];
    const x = (from + to) / 2;
    if (index === 0 || at - before < 1_000 || x - lastLabel < LABEL_WIDTH) continue;
    gaps.push({ x: round(x), label: formatGap(at - before) });
    lastLabel = x;
  }
  return {
    positions: places.filter((_, index) => index !== pastCount),
    now: places[pastCount] ?? LEFT,
    gaps,
  };
}

/** 1 for moments of one time, 1.6 for a second, about 5 for a day. */
const stepWidth = (milliseconds: number): number => 1 + 0.8 * Math.log10(1 + milliseconds / 300);

const round = (value: number): number => Math.round(value * 100) / 100;

const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
] as const;

/** `302000` → `5 m`: the largest unit, with one decimal below ten. */
function formatGap(milliseconds: number): string {
  const [size, unit] = UNITS.find(([each]) => milliseconds >= each) ?? [1, "ms"];
  const amount = milliseconds / size;
  return `${amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount)} ${unit}`;
}
