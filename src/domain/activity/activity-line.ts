/** What happened, as one line of a live log or a timeline. A view aligns and colours its parts. */
export interface ActivityLine {
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
  /** `success`: answered or delivered. `refusal`: a 4xx. `failure`: a 5xx, a failed attempt, or no response. */
  readonly tone: "success" | "refusal" | "failure";
  /** The status; `–` without a response. */
  readonly result: string;
  /** The method of a request; `event` for an attempt to deliver one. */
  readonly verb: string;
  /** The path of a request; the type of an event and its receiver. */
  readonly subject: string;
  /** Wall time; null while a request is running. */
  readonly durationMs: number | null;
  /** Who, why, which fault, and what comes next. */
  readonly notes: readonly string[];
}

/** The line as text without its time: `422  POST /v1/clients  3.1 ms  partner 1, sandbox; name: is missing.` */
export function formatActivityLine({ result, verb, subject, durationMs, notes }: ActivityLine): string {
  const duration = durationMs === null ? "" : formatMilliseconds(durationMs);
  return [`${result.padEnd(3)}  ${verb} ${subject}`, duration, notes.join("; ")].filter(Boolean).join("  ");
}

const formatMilliseconds = (milliseconds: number): string =>
  `${milliseconds.toFixed(milliseconds < 100 && !Number.isInteger(milliseconds) ? 1 : 0)} ms`;
