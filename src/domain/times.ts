/** A time as people read it: `2026-11-29 06:43 UTC`. What is no RFC 3339 time stays as it is. */
export function formatTime(at: string | number | null | undefined): string {
  const time = typeof at === "number" ? at : Date.parse(String(at));
  if (Number.isNaN(time)) return String(at ?? "");
  return `${new Date(time).toISOString().slice(0, "2026-11-29T06:43".length).replace("T", " ")} UTC`;
}

/** The time of day as a live log shows it: `06:43:12`. @param at in RFC 3339, UTC */
export const formatTimeOfDay = (at: string): string =>
  at.slice("2026-11-29T".length, "2026-11-29T06:43:12".length);

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A value that is a time, as people read it; any other text unchanged. */
export const formatIfTime = (text: string): string => (RFC_3339.test(text) ? formatTime(text) : text);

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

/** When something is due: `in 2 h 4 min`, or `now`. */
export const formatDue = (milliseconds: number): string =>
  milliseconds > 0 ? `in ${formatDuration(milliseconds)}` : "now";

/** The age of a moment in its largest unit: `16 min ago`, `2 d ago`; `90 s ahead of now` for a later one. */
export function formatAge(milliseconds: number): string {
  const age = Math.abs(milliseconds);
  const [unit, length] = UNITS.find(([, each]) => age >= 2 * each) ?? ["s", 1_000];
  return `${Math.round(age / length)} ${unit} ${milliseconds < 0 ? "ahead of now" : "ago"}`;
}
