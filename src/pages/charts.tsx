import { formatTime } from "../domain/times.ts";

const BARS = 40;
const HEIGHT = 90;

interface ResultBarsProps {
  readonly label: string;
  /** At milliseconds since 1970; the error is null for a success. */
  readonly attempts: readonly { readonly at: number; readonly error: unknown }[];
}

/** Attempts in the order of time, by result: failures above successes. */
export function ResultBars({ label, attempts }: ResultBarsProps) {
  const [first = 0, last = first] = [attempts[0]?.at, attempts.at(-1)?.at];
  const bars = Array.from({ length: BARS }, () => ({ ok: 0, bad: 0 }));
  for (const { at, error } of attempts) {
    const bar = bars[Math.floor(((at - first) / (last - first + 1)) * BARS)];
    if (bar) bar[error === null ? "ok" : "bad"] += 1;
  }
  const highest = Math.max(1, ...bars.map(({ ok, bad }) => ok + bad));
  const scale = (count: number) => (count / highest) * (HEIGHT - 4);
  return (
    <svg class="picture" height={HEIGHT + 18} role="img" aria-label={label}>
      <line class="lane" x1="0" x2="100%" y1={HEIGHT} y2={HEIGHT} />
      {bars.map(({ ok, bad }, index) => {
        const place = { x: `${(index / BARS) * 100}%`, width: `${75 / BARS}%` };
        return [
          ok > 0 && <rect class="ok" {...place} y={HEIGHT - scale(ok)} height={scale(ok)} />,
          bad > 0 && <rect class="bad" {...place} y={HEIGHT - scale(ok + bad)} height={scale(bad)} />,
        ];
      })}
      <text y={HEIGHT + 15}>{formatTime(first)}</text>
      <text y={HEIGHT + 15} x="100%" text-anchor="end">
        {formatTime(last)}
      </text>
    </svg>
  );
}
