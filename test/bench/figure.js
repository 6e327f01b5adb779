// A measurement, its floor and its aim.

/**
 * `most` and `least` bound the ratio to the floor, `mostValue` bounds our own figure.
 * @typedef {{ most?: number, least?: number, mostValue?: number }} Aim
 */

/**
 * @typedef {object} Figure
 * @property {string} what
 * @property {"ms" | "µs" | "/s" | "MB/s" | "MiB"} unit
 * @property {{ name: string, value: number }} [floor] measured in the same run
 * @property {number} ours
 * @property {number} [spread] half the distance of the quartiles of our rounds, as a share of their median
 * @property {Aim | null} aim
 * @property {string} [note]
 */

/** @typedef {() => Promise<Figure[]>} Suite */

/** @param {Figure} figure */
export const ratioOf = ({ floor, ours }) => (floor ? ours / floor.value : null);

/**
 * Whether a figure meets its aim: `not sure` where another run could miss it. Null without an aim.
 * @param {Figure} figure
 */
export function judgeAim(figure) {
  const { aim, ours, spread = 0 } = figure;
  if (!aim) return null;
  const value = aim.mostValue === undefined ? (ratioOf(figure) ?? Number.NaN) : ours;
  const isMet = aim.least === undefined ? value <= (aim.most ?? aim.mostValue ?? 0) : value >= aim.least;
  const distance = Math.abs(value - (aim.most ?? aim.least ?? aim.mostValue ?? 0)) / value;
  if (!isMet) return "no";
  return distance < spread ? "not sure" : "yes";
}

/**
 * Our figure and its spread.
 * @param {readonly number[]} values
 */
export const summarize = (values) => ({
  ours: median(values),
  spread: (percentile(values, 0.75) - percentile(values, 0.25)) / 2 / median(values),
});

/** @param {readonly number[]} values */
export const median = (values) => percentile(values, 0.5);

/** @param {readonly number[]} values @param {number} share from 0 to 1 */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error("nothing was measured");
  return value;
}

/**
 * Takes the measurements in turn, so that a busy machine slows all of them. The first round only warms up.
 * @template {string} Name
 * @param {Record<Name, () => Promise<number>>} measurements
 * @param {number} rounds
 */
export async function measureInTurn(measurements, rounds) {
  const names = /** @type {Name[]} */ (Object.keys(measurements));
  const samples = new Map(names.map((name) => [name, /** @type {number[]} */ ([])]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const value = await measurements[name]();
      if (round > 0) samples.get(name)?.push(value);
    }
  }
  return /** @type {Record<Name, number[]>} */ (Object.fromEntries(samples));
}
