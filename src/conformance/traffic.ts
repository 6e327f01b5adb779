import { MEDIA_TYPE } from "../contract/operations/operation.ts";
import type { OperationId } from "../contract/operations/operations.ts";
import { categorizeState, type StateCategory } from "../domain/diligence/states.ts";
import { isRecord, parseJsonText } from "../domain/json.ts";
import type { LoggedRequest } from "./trial.ts";

// How judges read a trial. All of it holds for a service that varies what is assumed: job ids are those that the sandbox has,
// not those of a field, and refusals are known by their problem, not by their body.

export const isOperation = ({ operation }: LoggedRequest, ...ids: readonly OperationId[]): boolean =>
  ids.some((id) => id === operation);

export const requestHeader = (
  { requestHeaders }: Pick<LoggedRequest, "requestHeaders">,
  name: string,
): string | null => requestHeaders.find(([each]) => each.toLowerCase() === name)?.[1] ?? null;

export const responseHeader = ({ responseHeaders }: LoggedRequest, name: string): string | null =>
  responseHeaders.find(([each]) => each.toLowerCase() === name)?.[1] ?? null;

/** The media type of the request body, in lower case and without parameters; empty without one. */
export const mediaType = (request: LoggedRequest): string =>
  (requestHeader(request, "content-type") ?? "").replace(/;.*$/s, "").trim().toLowerCase();

export const describeType = (request: LoggedRequest): string =>
  mediaType(request) === "" ? "no Content-Type" : `the Content-Type ${mediaType(request)}`;

export const isMultipart = (request: LoggedRequest): boolean => mediaType(request) === MEDIA_TYPE.multipart;

/** `POST /v1/clients`, without the query. */
export const describeRequest = ({ method, target }: LoggedRequest): string =>
  `${method} ${target.replace(/\?.*$/s, "")}`;

/** Whether the service has carried the request out, also if its response was lost. */
export const isExecuted = ({ status, problem }: LoggedRequest): boolean =>
  status !== null && status < 300 && problem === null;

/** Whether the program cannot know if its request was carried out; 503 says that it was not (RFC 9110 §15.6.4). */
export const isOutcomeUnknown = ({ outcome, status }: LoggedRequest): boolean =>
  outcome === "lost" ||
  outcome === "aborted" ||
  (outcome === "answered" && status !== null && status >= 500 && status !== 503);

export const isWrite = ({ method }: LoggedRequest): boolean =>
  method === "POST" || method === "PUT" || method === "PATCH" || method === "DELETE";

/** The JSON of a body; undefined if it is not JSON, or not logged as a whole. */
export function readJson(body: LoggedRequest["requestBody"]): unknown {
  return body?.text == null || body.truncated ? undefined : parseJsonText(body.text);
}

/** The job that the path of a request names; null for another path. */
export function jobInPath({ target, operation }: LoggedRequest): string | null {
  if (!operation?.startsWith("diligence.") || operation === "diligence.submit") return null;
  const segments = (target.split("?")[0] ?? "").split("/");
  return (operation === "diligence.resume" ? segments.at(-2) : segments.at(-1))?.toLowerCase() ?? null;
}

/** The job of a submission or of its stored response, by the path in Location; null if the log does not show it. */
export function jobOfSubmission(request: LoggedRequest): string | null {
  if (!isOperation(request, "diligence.submit") || !isExecuted(request)) return null;
  return responseHeader(request, "location")?.split("/").at(-1)?.toLowerCase() ?? null;
}

/** The name of the state in a job record; null if the log does not show it. */
export function stateInResponse(request: LoggedRequest): string | null {
  const body = readJson(request.responseBody);
  if (!isExecuted(request) || !isRecord(body)) return null;
  const { state, status } = isRecord(body.job) ? { ...body, ...body.job } : body;
  const name = state ?? status;
  return typeof name === "string" ? name : null;
}

export const categoryInResponse = (request: LoggedRequest): StateCategory | null => {
  const state = stateInResponse(request);
  return state === null ? null : categorizeState(state);
};

/** The interface names partial, failed and queued; the names of a success are anybody's guess. */
export const isUnknownState = (state: string | null): boolean =>
  state !== null && state.toLowerCase() !== "queued" && categorizeState(state) === "pending";

/** The contract hash of a response with the contract, a report or a dataset; null if the log does not show it. */
export function contractHashOf(request: LoggedRequest): string | null {
  if (isOperation(request, "document.openapi"))
    return isExecuted(request) ? (responseHeader(request, "etag")?.replace(/^W\/|"/g, "") ?? null) : null;
  if (!isResult(request) || !isExecuted(request)) return null;
  const [, version = null] = /"contractVersion":\s*"(\w+)"/.exec(request.responseBody?.text ?? "") ?? [];
  return responseHeader(request, "contract-version") ?? version;
}

export const listContractReads = (requests: readonly LoggedRequest[]): LoggedRequest[] =>
  requests.filter((request) => isOperation(request, "document.openapi") && contractHashOf(request) !== null);

export const isResult = (request: LoggedRequest): boolean =>
  isOperation(request, "diligence.report", "diligence.dataset");

/** Whether a request has the same content apart from key and boundary. Without a logged body, the size decides. */
export function isRepeat(request: LoggedRequest, of: LoggedRequest): boolean {
  if (request.number <= of.number || request.method !== of.method || request.target !== of.target)
    return false;
  const [one, other] = [request, of].map(bodyWithoutBoundary);
  if (one !== null && other !== null) return one === other;
  const [size, otherSize] = [request, of].map(({ requestBody }) => requestBody?.size ?? null);
  return size === null || otherSize === null || size === otherSize;
}

/** Empty without a body; null for one that was not logged. */
function bodyWithoutBoundary(request: LoggedRequest): string | null {
  const { requestBody: body } = request;
  if (body === null) return "";
  const [, quoted, plain] =
    /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(requestHeader(request, "content-type") ?? "") ?? [];
  const boundary = quoted ?? plain;
  return boundary === undefined ? body.text : (body.text?.replaceAll(boundary, "") ?? null);
}

/** So many requests, each sooner than this after the end of the response before. No program that pauses pauses so shortly. */
const RUSH = { requests: 8, ms: 20 };

/** How long a program has waited before a request; a clock that is read twice may differ in the last digit. */
export const pauseBefore = (
  next: Pick<LoggedRequest, "arrivalOffsetMs">,
  { arrivalOffsetMs, durationMs }: Pick<LoggedRequest, "arrivalOffsetMs" | "durationMs">,
): number => next.arrivalOffsetMs - arrivalOffsetMs - (durationMs ?? 0);

/**
 * The first requests, if enough came without a pause; otherwise empty. They need not follow each other: load makes pauses longer, and
 * never shorter, so that a busy machine hides some of them.
 */
export function findRush(requests: readonly LoggedRequest[]): readonly LoggedRequest[] {
  const hasty = requests.filter((request, index) => {
    const previous = requests[index - 1];
    return previous !== undefined && pauseBefore(request, previous) < RUSH.ms;
  });
  // Which of them load hides differs from run to run.
  return hasty.length < RUSH.requests ? [] : requests.slice(0, RUSH.requests + 1);
}
