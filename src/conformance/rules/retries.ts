import { eachRun, fail, judgeEach, PASS, requestRule, UNTOUCHED } from "../judge.ts";
import { assumed, type Rule } from "../rule.ts";
import { LOST_SUBMISSIONS, PLAIN_SCENARIO } from "../scenarios.ts";
import {
  describeRequest,
  findRush,
  isOperation,
  isOutcomeUnknown,
  isRepeat,
  isWrite,
  requestHeader,
  responseHeader,
} from "../traffic.ts";
import type { LoggedRequest } from "../trial.ts";

const listRepeats = (of: LoggedRequest, requests: readonly LoggedRequest[]): LoggedRequest[] =>
  requests.filter((request) => isRepeat(request, of));

const keyOf = (request: LoggedRequest) => requestHeader(request, "idempotency-key");

const hasFailed = ({ outcome, status }: LoggedRequest) =>
  outcome === "lost" || (outcome === "answered" && status !== null && (status === 429 || status >= 500));

function listAttempts(first: LoggedRequest, requests: readonly LoggedRequest[]): LoggedRequest[] {
  const all = [first, ...listRepeats(first, requests)];
  const end = all.findIndex((request) => !hasFailed(request));
  return end < 0 ? all : all.slice(0, end + 1);
}

/** Timers may fire a little early, and clocks of processes differ. */
const TOLERANCE_MS = 50;

/** The sandbox sends whole seconds. */
function retryAfterMs(request: LoggedRequest): number | null {
  const value = responseHeader(request, "retry-after") ?? "";
  return isAskedToWait(request) && /^\d+$/.test(value) ? Number(value) * 1_000 : null;
}

const isAskedToWait = ({ outcome, status }: LoggedRequest) =>
  outcome === "answered" && (status === 429 || status === 503);

export const RETRY_RULES: readonly Rule[] = [
  {
    id: "retry.key",
    ...assumed("errors"),
    title: "repeats no write without its key after a reset, a hang, half a response or a 5xx",
    fix: "send an Idempotency-Key with each write, and repeat the write with the same key",
    scenarios: LOST_SUBMISSIONS,
    judge: eachRun(({ requests }) => {
      const writes = requests.filter((request) => isWrite(request) && !isOperation(request, "oauth.token"));
      const repeated = writes
        .filter(isOutcomeUnknown)
        .map((write) => ({ write, again: listRepeats(write, writes).slice(0, 1) }))
        .filter(({ again }) => again.length > 0);
      if (repeated.length === 0) return UNTOUCHED;
      const wrong = repeated.find(({ write, again: [first] }) => {
        const given = keyOf(write);
        return given === null || (first && keyOf(first) !== given);
      });
      if (!wrong) return PASS;
      const how = keyOf(wrong.write) === null ? "without a key" : "with another key";
      return fail(`a write whose outcome is unknown is repeated ${how}`, [wrong.write, ...wrong.again]);
    }),
  },
  requestRule({
    id: "retry.own_key",
    ...assumed("errors"),
    title: "sends each key with one request and its repetitions only",
    fix: "make an Idempotency-Key for each request, such as each submitted file, and store it with that file",
    shownBy: [PLAIN_SCENARIO],
    subjects: (requests) => requests.filter((each) => isWrite(each) && keyOf(each) !== null),
    findFault: (request) =>
      request.problem?.code === "idempotency_key_reused"
        ? `${describeRequest(request)} has the key of another request`
        : null,
  }),
  {
    id: "retry.reads",
    ...assumed("limits"),
    title: "repeats a failed read after a pause",
    fix: "repeat a read after 429, 502, 503, 504 and a broken connection, a few times with growing pauses",
    scenarios: ["reads.server_error", "reads.reset", "reads.half_body"],
    judgesEnd: true,
    judge: eachRun(({ endedBy, requests }) => {
      const failed = requests.filter((request) => request.method === "GET" && hasFailed(request));
      if (failed.length === 0) return UNTOUCHED;
      for (const first of failed) {
        const attempts = listAttempts(first, requests);
        if (findRush(attempts).length > 0)
          return fail("the program repeats a failing read without a pause", attempts);
      }
      const abandoned = failed.filter((request) => listRepeats(request, requests).length === 0);
      if (abandoned.length > 0 && endedBy === "itself")
        return fail("the program does not repeat a failed read", abandoned);
      return abandoned.length > 0 ? UNTOUCHED : PASS;
    }),
  },
  {
    id: "retry.after",
    ...assumed("limits"),
    title: "waits as long as Retry-After says, and repeats the request",
    fix: "wait for the seconds of Retry-After, or until its date, before the next attempt",
    scenarios: ["submit.rate_limited", "reads.rate_limited"],
    judgesEnd: true,
    judge: eachRun(({ requests }) => {
      const refused = requests.filter((request) => retryAfterMs(request) !== null);
      const repeated = refused.filter((request) => listRepeats(request, requests).length > 0);
      return judgeEach(repeated, (request) => {
        const [again] = listRepeats(request, requests);
        const wait = retryAfterMs(request) ?? 0;
        const isEarly = again && again.arrivalOffsetMs - request.arrivalOffsetMs < wait - TOLERANCE_MS;
        return isEarly ? "the program repeats a request before the time that Retry-After says" : null;
      });
    }),
  },
];
