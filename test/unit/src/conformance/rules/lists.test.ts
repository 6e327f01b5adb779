import { LIST_RULES } from "../../../../../src/conformance/rules/lists.ts";
import {
  called,
  describeRules,
  type RequestParts,
  traffic,
  trialOf,
} from "../../../../support/conformance-trials.ts";

const page = (cursor: string | null, next: string | null): RequestParts =>
  called({
    target: cursor === null ? "/v1/clients" : `/v1/clients?cursor=${cursor}`,
    received: next === null ? {} : { LINK: `</v1/clients?limit=50&cursor=${next}>; rel="next"` },
  });

const UNREAD = "GET /v1/clients has a next page, and no request reads it with its cursor as it is";

const run = (...requests: RequestParts[]) => trialOf({ scenario: "lists.pages", requests, runs: [{}] });

describeRules(LIST_RULES, {
  "list.pages": {
    pass: [
      run(page(null, "a"), page(null, "a"), page("a", "b"), page("b", null)),
      run(page(null, "a"), page("a", null), page(null, "z")),
    ],
    fail: [
      [run(page(null, "a")), UNREAD],
      [run(page(null, "a"), page("a", "b")), UNREAD],
      [run(page(null, "a"), { ...page("a", null), status: 400 }), UNREAD],
      [run(page(null, "a"), { ...page("a", null), operation: "claims.list" }), UNREAD],
    ],
    untouched: [run(page(null, null)), traffic(page(null, "a"))],
  },
});
