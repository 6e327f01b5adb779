import { ERROR_CLASSES, type ErrorClass, type Mapping } from "./mapping.ts";
import { putAtPath, toPath, valueAtPath } from "./path.ts";

type ErrorWords = Mapping["error.words"];

interface StatusAndCode {
  readonly status: number;
  readonly code: string | null;
}

/** An error as a mapping reads it. */
export interface MappedError {
  /** Undefined where the mapping has no line, null where its path leads nowhere. */
  readonly code: string | null | undefined;
  readonly message: string | null | undefined;
}

/** The status of the contract for a class. */
export const STATUS_OF_CLASS: Readonly<Record<ErrorClass, number>> = {
  not_found: 404,
  unauthorized: 401,
  forbidden: 403,
  conflict: 409,
  not_ready: 409,
  invalid: 422,
  rate_limited: 429,
};

/** Request Timeout and Too Early ask for another try. */
const classOfStatus = (status: number): ErrorClass | null =>
  ERROR_CLASSES.find((each) => STATUS_OF_CLASS[each] === status) ??
  (status < 400 || status >= 500 || status === 408 || status === 425 ? null : "invalid");

/** What an error of the service means: by its status and code, its code, its status, or as the contract has it. */
export function classifyError(words: ErrorWords = {}, { status, code }: StatusAndCode): ErrorClass | null {
  const key = [`${status} ${code}`, code ?? "", String(status)].find((each) => Object.hasOwn(words, each));
  return (key !== undefined && words[key]) || classOfStatus(status);
}

/** What an error of the contract means to a service with these words. */
export function classifyProblem(words: ErrorWords = {}, { status, code }: StatusAndCode): ErrorClass | null {
  const isNotReady = code === "report_not_ready" && Object.values(words).includes("not_ready");
  return isNotReady ? "not_ready" : classOfStatus(status);
}

/** contract → service, by the first entry with this meaning. */
export function writeErrorWord(words: ErrorWords = {}, error: StatusAndCode): StatusAndCode {
  const errorClass = classifyProblem(words, error);
  const [key] = Object.entries(words).find(([, each]) => each === errorClass) ?? [];
  if (key === undefined) return error;
  const [, status, code] = /^([45]\d\d)(?: (.*))?$/s.exec(key) ?? [];
  return {
    status: status === undefined ? error.status : Number(status),
    code: status === undefined ? key : (code ?? error.code),
  };
}

/** The body of an error; null where the mapping has no line for it. With a line, what has no line is not sent. */
export function writeErrorBody(
  mapping: Mapping,
  code: string | null,
  message: string,
): Record<string, unknown> | string | null {
  const { "error.code": codeLine, "error.message": messageLine } = mapping;
  if (codeLine === undefined && messageLine === undefined) return null;
  if (codeLine === "") return code;
  if (messageLine === "") return message;
  const body: Record<string, unknown> = {};
  if (codeLine !== undefined && code !== null) putAtPath(body, toPath(codeLine), code);
  if (messageLine !== undefined) putAtPath(body, toPath(messageLine), message);
  return body;
}

/** service → contract. @param body the parsed body, or its text */
export function readError(mapping: Mapping, body: unknown): MappedError {
  const textAt = (line: string | undefined) => {
    if (line === undefined) return undefined;
    const value = valueAtPath(body, toPath(line));
    if (typeof value !== "string" && typeof value !== "number") return null;
    return String(value).trim();
  };
  return { code: textAt(mapping["error.code"]), message: textAt(mapping["error.message"]) };
}
