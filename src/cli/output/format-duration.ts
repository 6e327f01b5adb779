const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** The two largest units of a duration: `2 h 4 min`, `500 ms`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds} ms`;
  const words: string[] = [];
  let left = milliseconds;
  for (const [unit, length] of UNITS) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) words.push(`${count} ${unit}`);
    // `2 h 0 min 5 s` is `2 h`.
    else if (words.length > 0) break;
    if (words.length === 2) break;
  }
  return words.join(" ");
}
