import { RETRY_RULES } from "../../../../../src/conformance/rules/retries.ts";
import {
  called,
  describeRules,
  polled,
  type RequestParts,
  refused,
  submitted,
  traffic,
  trialOf,
} from "../../../../support/conformance-trials.ts";

const keyed = (key: string | null, parts: RequestParts = {}) =>
  submitted({ ...parts, sent: key === null ? {} : { "Idempotency-Key": key } });

const reset = { status: null, outcome: "lost", fault: "rule 1" } as const;
/** A fault kept it from the service. */
const unread = (size: number): RequestParts => ({
  ...reset,
  requestBody: { size, text: null, base64: null, truncated: true, fields: null },
});

const UNKEYED = "a write whose outcome is unknown is repeated without a key";

const overloaded = { status: 503, fault: "rule 1" } as const;
const broken = { status: 500, fault: "rule 1" } as const;

const run = (...requests: RequestParts[]) => trialOf({ requests, runs: [{ exitCode: 1 }] });

/** A read that fails at each of these times but the last. */
const attempts = (...times: readonly number[]) =>
  run(
    ...times.map((arrivalOffsetMs, index) =>
      called({ arrivalOffsetMs, ...(index < times.length - 1 && overloaded) }),
    ),
  );

const limited = (arrivalOffsetMs: number, retryAfter: string, status = 429): RequestParts =>
  keyed("k", { arrivalOffsetMs, status, fault: "rule 1", received: { "Retry-After": retryAfter } });

describeRules(RETRY_RULES, {
  "retry.key": {
    pass: [
      traffic(keyed("k", reset), keyed("k")),
      traffic(keyed("k", broken), keyed("k", { idempotentReplay: true })),
      traffic(
        keyed(null, reset),
        keyed("k", { body: "another file", ...reset }),
        keyed("k", { body: "another file" }),
      ),
      traffic(keyed(null, unread(20)), keyed("k", unread(90)), keyed("k", unread(90))),
    ],
    fail: [
      [traffic(keyed(null, reset), keyed(null)), UNKEYED],
      [
        traffic(keyed("k", broken), keyed("l")),
        "a write whose outcome is unknown is repeated with another key",
      ],
      [traffic(keyed(null, unread(20)), keyed(null)), UNKEYED],
    ],
    untouched: [
      traffic(keyed(null, overloaded), keyed(null)),
      traffic(keyed(null, reset)),
      traffic(keyed(null), keyed(null)),
      traffic(keyed(null, { status: 429 }), keyed(null)),
      traffic(called(overloaded), called()),
      trialOf({ requests: [keyed("k", reset), keyed("l")], runs: [{ requests: 1 }, { requests: 1 }] }),
    ],
  },
  "retry.own_key": {
    pass: [traffic(keyed("k"), keyed("k"))],
    fail: [
      [
        traffic(keyed("k"), keyed("k", { body: "another file", ...refused("idempotency_key_reused") })),
        "POST /v1/diligence/submit has the key of another request",
      ],
    ],
    untouched: [traffic(keyed(null))],
  },
  "retry.reads": {
    pass: [attempts(0, 125, 375, 875), run(called(reset), called())],
    fail: [
      [attempts(0, 2, 4, 6, 8, 10, 12, 14, 16, 18), "the program repeats a failing read without a pause"],
      [run(called(overloaded)), "the program does not repeat a failed read"],
      [
        run(called(overloaded), called({ target: "/v1/clients?limit=1" })),
        "the program does not repeat a failed read",
      ],
    ],
    untouched: [
      run(called()),
      run(called({ status: 404 })),
      trialOf({ requests: [called(overloaded)], runs: [{ endedBy: "timeout" }] }),
    ],
  },
  "retry.after": {
    pass: [
      traffic(limited(0, "1"), keyed("k", { arrivalOffsetMs: 990 })),
      traffic(limited(0, "2", 503), keyed("k", { arrivalOffsetMs: 2_001 })),
    ],
    fail: [
      [
        traffic(limited(0, "1"), keyed("k", { arrivalOffsetMs: 300 })),
        "the program repeats a request before the time that Retry-After says",
      ],
    ],
    untouched: [
      traffic(limited(0, "1")),
      traffic(limited(0, "soon"), keyed("k", { arrivalOffsetMs: 1 })),
      traffic(limited(0, "1", 202), polled("queued", { arrivalOffsetMs: 1 })),
    ],
  },
});
