import { formatTime, formatTimeOfDay } from "../../domain/times.ts";
import type { ActivityLine } from "./activity-line.ts";
import type { ActivityEvent, AttemptEvent, JobEvent, RequestEvent } from "./events.ts";

export function describeEvent(event: ActivityEvent): ActivityLine {
  if (event.event === "request") return describeRequest(event);
  return event.event === "job" ? describeJobChange(event) : describeAttempt(event);
}

type NotedRequest = Pick<RequestEvent, "outcome" | "fault" | "alias" | "idempotentReplay" | "varied">;

/** Describes what distinguishes a logged request from most others. Empty for an ordinary request. */
export const describeRequestNotes = (request: NotedRequest): string[] =>
  [
    request.outcome === "answered" ? "" : request.outcome,
    request.fault === null ? "" : `fault: ${request.fault}`,
    request.idempotentReplay ? "stored response" : "",
    request.alias ? `alias of ${request.alias.canonicalPath}` : "",
    request.varied.length === 0 ? "" : `greased: ${request.varied.join(" ")}`,
  ].filter((note) => note !== "");

type DescribedRequest = NotedRequest &
  Pick<RequestEvent, "number" | "at" | "method" | "target" | "status" | "durationMs" | "caller" | "problem">;

export function describeRequest(request: DescribedRequest): ActivityLine {
  const { at, caller, durationMs, fault, method, number, outcome, problem, status, target } = request;
  const isAnswered = outcome === "answered" && status !== null && status < 500;
  return {
    at,
    tone: !isAnswered ? "failure" : status < 400 ? "success" : "refusal",
    result: status === null ? "–" : String(status),
    verb: method,
    subject: target,
    durationMs,
    label: `#${number}`,
    notes: [
      ...(caller ? [`partner ${caller.partner}, ${caller.environment}`] : []),
      ...describeRequestNotes(request),
      // Beside a fault, it is about a response that did not arrive.
      ...(problem && fault === null ? [toReason(problem.detail)] : []),
    ],
  };
}

const MAX_REASON_CHARACTERS = 300;

/** On one line: it may quote what the caller sent. */
function toReason(detail: string): string {
  const line = detail.replace(/\s+/g, " ").trim();
  return line.length > MAX_REASON_CHARACTERS ? `${line.slice(0, MAX_REASON_CHARACTERS - 1)}…` : line;
}

export function describeAttempt(
  attempt: Omit<AttemptEvent, "event" | "deliveryId" | "endpointId">,
): ActivityLine {
  const { at, durationMs, error, eventType, number, responseStatus, trigger, url } = attempt;
  return {
    at,
    tone: error ? "failure" : "success",
    result: responseStatus === null ? "–" : String(responseStatus),
    verb: "event",
    subject: `${eventType} to ${url}`,
    durationMs,
    label: `attempt ${number}`,
    notes: [
      ...(trigger === "resend" ? ["a resend"] : []),
      ...(error && error.code !== "http_status" ? [error.detail] : []),
      ...(error ? [describeNextAttempt(attempt)] : []),
    ],
  };
}

const describeNextAttempt = ({
  at,
  nextAttemptAt,
  status,
}: Pick<AttemptEvent, "at" | "nextAttemptAt" | "status">): string =>
  nextAttemptAt === null ? `no further attempt: ${status}` : `next at ${describeNear(nextAttemptAt, at)}`;

/** Only the time of day on the same day, with seconds: attempts follow each other quickly. */
const describeNear = (at: string, now: string): string =>
  at.slice(0, "2026-11-20".length) === now.slice(0, "2026-11-20".length)
    ? formatTimeOfDay(at)
    : formatTime(at);

export function jobTone(state: JobEvent["state"]): ActivityLine["tone"] {
  if (state === "failed") return "failure";
  return state === "partial" ? "refusal" : "success";
}

const describeJobChange = ({ at, failure, jobId, runCount, state }: JobEvent): ActivityLine => ({
  at,
  tone: jobTone(state),
  result: "job",
  verb: jobId,
  subject: state,
  durationMs: null,
  label: `run ${runCount}`,
  notes: failure ? [`${failure.code}: ${failure.detail}`] : [],
});
