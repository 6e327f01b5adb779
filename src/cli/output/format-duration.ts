const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** A span of milliseconds as people say it, in its two largest units: `2 h 4 min`, `500 ms`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds} ms`;
  const words: string[] = [];
  let left = milliseconds;
  for (const [unit, length] of UNITS) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) words.push(`${count} ${unit}`);
    // What is below the unit after the largest one says nothing.
    else if (words.length > 0) break;
    if (words.length === 2) break;
  }
  return words.join(" ");
}
