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
  /** The number of a request in the request log, as in `#12`; that of an attempt. */
  readonly label: string;
  /** Who, why, which fault, and what comes next. */
  readonly notes: readonly string[];
}

/** The line as text without its time: `422  POST /v1/clients  3.1 ms  #12  partner 1, sandbox; name: is missing.` */
export function formatActivityLine(line: ActivityLine): string {
  const { result, verb, subject, durationMs, label, notes } = line;
  const subjectText = `${result.padEnd(3)}  ${verb} ${subject}`;
  const parts = [subjectText, formatMilliseconds(durationMs), label, notes.join("; ")];
  return parts.filter((part) => part !== "").join("  ");
}

/** `3.1 ms`, `120 ms`; empty for null. */
export function formatMilliseconds(durationMs: number | null): string {
  if (durationMs === null) return "";
  return `${durationMs.toFixed(durationMs < 100 && !Number.isInteger(durationMs) ? 1 : 0)} ms`;
}
