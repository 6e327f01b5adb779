import { WEBHOOK_RULES } from "../../../../../src/conformance/rules/webhooks.ts";
import { called, describeRules, type RequestParts, traffic } from "../../../../support/conformance-trials.ts";

const ENDPOINT = {
  label: "x",
  url: "http://x.example",
  subscribedEvents: ["partner.test"],
  environmentScope: "all",
};

const registration = (fields: object = {}): RequestParts =>
  called({ method: "POST", operation: "webhooks.create", body: JSON.stringify({ ...ENDPOINT, ...fields }) });

const registered = (fields: object = {}) => traffic(registration(fields));

const subscribed = (...subscribedEvents: unknown[]) => registered({ subscribedEvents });

const tested = (eventType: unknown, parts: RequestParts = {}) =>
  traffic(
    called({
      method: "POST",
      operation: "webhooks.test",
      body: JSON.stringify({ eventType, environment: "sandbox" }),
      ...parts,
    }),
  );

const broken = traffic(called({ operation: "webhooks.create", body: '{"label":' }));
const list = traffic(called({ operation: "webhooks.endpoints" }));

describeRules(WEBHOOK_RULES, {
  "webhooks.registration": {
    pass: [registered()],
    fail: [[registered({ label: undefined, url: undefined }), "a registration lacks label, url"]],
    untouched: [list, broken],
  },
  "webhooks.event_names": {
    pass: [subscribed("partner.test", "claim.updated"), subscribed("partner.testing", 1)],
    fail: [
      [subscribed("partner.test", "partner.*"), 'a registration subscribes to "partner.*"'],
      [subscribed("Partner.Test"), 'a registration subscribes to "Partner.Test"'],
    ],
    untouched: [list, broken, registered({ subscribedEvents: "partner.test" })],
  },
  "webhooks.scope": {
    pass: [registered()],
    fail: [[registered({ environmentScope: "test" }), 'a registration has environmentScope = "test"']],
    untouched: [list, registered({ environmentScope: undefined })],
  },
  "webhooks.aligned_scope": {
    pass: [registered(), registered({ environmentScope: "sandbox" })],
    fail: [
      [
        registered({ environmentScope: "production" }),
        'a registration with a credential of sandbox has environmentScope = "production"',
      ],
    ],
    untouched: [list],
  },
  "webhooks.test_type": {
    pass: [tested("partner.test")],
    fail: [
      [tested("partner.tested"), 'a test event has the type "partner.tested"'],
      [tested(undefined), "a test event has no type"],
    ],
    untouched: [list, tested("x", { body: "" })],
  },
  "webhooks.test_environment": {
    pass: [tested("partner.test")],
    fail: [[tested("x", { body: '{"eventType":"x"}' }), "a test event does not name its environment"]],
    untouched: [list, tested("x", { body: "" })],
  },
  "webhooks.test_credential": {
    pass: [tested("partner.test")],
    fail: [
      [
        tested("partner.test", { caller: { partner: 1, environment: "production" } }),
        "a test event is requested with a credential of production",
      ],
    ],
    untouched: [list, tested("partner.test", { caller: null })],
  },
});
