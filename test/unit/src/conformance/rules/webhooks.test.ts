import { WEBHOOK_RULES } from "../../../../../src/conformance/rules/webhooks.ts";
import {
  called,
  describeRules,
  type RequestParts,
  refused,
  traffic,
} from "../../../../support/conformance-trials.ts";

const CREATE = "/v1/webhooks/endpoints";
const TEST = "/v1/sandbox/webhooks/test";

const registered = (parts: RequestParts = {}, scope = "all") =>
  traffic(
    called({
      method: "POST",
      operation: "webhooks.create",
      target: CREATE,
      body: JSON.stringify({ environmentScope: scope }),
      ...parts,
    }),
  );

const tested = (parts: RequestParts = {}) =>
  traffic(called({ method: "POST", operation: "webhooks.test", target: TEST, ...parts }));

const wrong = (field: string, code: string) => refused("validation_failed", [[`/${field}`, code]]);
const broken = refused("malformed_request", [], 400);
const list = traffic(called({ operation: "webhooks.endpoints" }));

describeRules(WEBHOOK_RULES, {
  "webhooks.registration": {
    pass: [registered(), registered(wrong("environmentScope", "not_allowed"))],
    fail: [[registered(wrong("label", "required")), `POST ${CREATE} is refused: /label required`]],
    untouched: [list, registered(broken)],
  },
  "webhooks.event_names": {
    pass: [registered(), registered(wrong("subscribedEvents", "required"))],
    fail: [
      [
        registered(wrong("subscribedEvents/1", "malformed")),
        `POST ${CREATE} is refused: /subscribedEvents/1 malformed`,
      ],
    ],
    untouched: [list, registered(broken)],
  },
  "webhooks.scope": {
    pass: [registered(), registered(wrong("environmentScope", "required"))],
    fail: [
      [
        registered(wrong("environmentScope", "not_allowed")),
        `POST ${CREATE} is refused: /environmentScope not_allowed`,
      ],
    ],
    untouched: [list],
  },
  "webhooks.aligned_scope": {
    pass: [registered(), registered({}, "sandbox")],
    fail: [
      [
        registered({}, "production"),
        'a registration with a credential of sandbox has environmentScope = "production"',
      ],
    ],
    untouched: [list],
  },
  "webhooks.test_type": {
    pass: [tested()],
    fail: [[tested(wrong("eventType", "not_allowed")), `POST ${TEST} is refused: /eventType not_allowed`]],
    untouched: [list, tested(broken)],
  },
  "webhooks.test_environment": {
    pass: [tested(), tested(wrong("environment", "not_allowed"))],
    fail: [[tested(wrong("environment", "required")), `POST ${TEST} is refused: /environment required`]],
    untouched: [list, tested(broken)],
  },
  "webhooks.test_credential": {
    pass: [tested()],
    fail: [
      [
        tested({ caller: { partner: 1, environment: "production" } }),
        "a test event is requested with a credential of production",
      ],
    ],
    untouched: [list, tested({ caller: null })],
  },
});
