import { isRecord, parseJsonText } from "../json.ts";

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
