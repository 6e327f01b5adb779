import type { ActivityLine } from "./activity-line.ts";
import { findRefusalReason } from "./refusal-reason.ts";
import { describeRequestNotes, type NotedRequest } from "./request-notes.ts";

interface DescribedRequest extends NotedRequest {
  readonly number: number;
  readonly at: string;
  readonly method: string;
  readonly target: string;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly caller: { readonly partner: number; readonly environment: string } | null;
  readonly responseBody: { readonly text: string | null } | null;
}

export function describeRequest(request: DescribedRequest): ActivityLine {
  const { at, caller, durationMs, method, number, outcome, status, target } = request;
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
      ...findReasons(request),
    ],
  };
}

/** The body of a fault says nothing that the fault does not. */
function findReasons({ fault, responseBody, status }: DescribedRequest): string[] {
  if (status === null || status < 400 || fault !== null) return [];
  const reason = findRefusalReason(responseBody?.text ?? "");
  return reason === "" ? [] : [reason];
}
