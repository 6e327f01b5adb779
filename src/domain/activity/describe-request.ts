import { isRecord, parseJsonText } from "../json.ts";
import type { ActivityLine } from "./activity-line.ts";

/** The fields of a logged request that most requests do not have. */
interface NotedRequest {
  readonly outcome: "answered" | "aborted" | "lost" | "running";
  readonly fault: string | null;
  readonly alias: { readonly canonicalPath: string } | null;
  readonly idempotentReplay: boolean;
  readonly varied: readonly string[];
}

/** Describes what distinguishes a logged request from most others. Empty for an ordinary request. */
export const describeRequestNotes = (request: NotedRequest): string[] =>
  [
    request.outcome === "answered" ? "" : request.outcome,
    request.fault === null ? "" : `fault: ${request.fault}`,
    request.idempotentReplay ? "stored response" : "",
    request.alias ? `alias of ${request.alias.canonicalPath}` : "",
    request.varied.length === 0 ? "" : `greased: ${request.varied.join(" ")}`,
  ].filter((note) => note !== "");

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

const MAX_REASON_CHARACTERS = 300;

/** The reason in the body of a 4xx or 5xx, on one line (RFC 9457, RFC 6749 §5.2, or its first text); empty without one. */
export function findRefusalReason(body: string): string {
  const text = readJsonReason(body) ?? body.replace(/<title>[^<]*<\/title>|<[^<>]*>/g, " ");
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_REASON_CHARACTERS ? `${line.slice(0, MAX_REASON_CHARACTERS - 1)}…` : line;
}

function readJsonReason(body: string): string | null {
  const problem = parseJsonText(body);
  if (!isRecord(problem)) return null;
  const { detail, hint, error, error_description: description, message, errors } = problem;
  const each = Array.isArray(errors) ? errors.map(readMessage) : [];
  const [reason = ""] = [detail, readMessage(error), message, each.join(" "), error].filter(isText);
  const next = [description, hint].filter(isText);
  return [reason, ...next].join(description === undefined ? " " : ": ");
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const readMessage = (error: unknown): unknown => (isRecord(error) ? error.message : undefined);
