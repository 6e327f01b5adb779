// A measurement, its floor and its aim.

/**
 * `most` and `least` bound the ratio to the floor, `mostValue` bounds our own figure.
 * @typedef {{ most?: number, least?: number, mostValue?: number }} Aim
 */

/**
 * @typedef {object} Figure
 * @property {string} what
 * @property {"ms" | "/s" | "MB/s" | "MiB"} unit
 * @property {{ name: string, value: number } | null} floor measured in the same run
 * @property {number} ours
 * @property {Aim | null} aim
 * @property {string} [note]
 */

/** @param {Figure} figure */
export const ratioOf = ({ floor, ours }) => (floor ? ours / floor.value : null);

/**
 * Whether a figure meets its aim; null without an aim.
 * @param {Figure} figure
 */
export function isMet(figure) {
  const { aim, ours } = figure;
  if (!aim) return null;
  const ratio = ratioOf(figure) ?? Number.NaN;
  if (aim.most !== undefined) return ratio <= aim.most;
  if (aim.least !== undefined) return ratio >= aim.least;
  return ours <= (aim.mostValue ?? 0);
}

/** @param {readonly number[]} values */
export const median = (values) => percentile(values, 0.5);

/**
 * @param {readonly number[]} values
 * @param {number} share from 0 to 1
 */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error("nothing was measured");
  return value;
}
