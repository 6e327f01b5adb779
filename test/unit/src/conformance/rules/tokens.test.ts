import { TOKEN_RULES } from "../../../../../src/conformance/rules/tokens.ts";
import {
  called,
  describeRules,
  type RequestParts,
  refused,
  traffic,
} from "../../../../support/conformance-trials.ts";

const secret = { place: "body", name: "client_secret", environment: "sandbox" } as const;

const token = (parts: RequestParts = {}) =>
  called({
    method: "POST",
    target: "/v1/oauth/token",
    operation: "oauth.token",
    credentials: [secret],
    sent: { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" },
    ...parts,
  });

const expired = called(refused("credential_invalid", [], 401));

describeRules(TOKEN_RULES, {
  "token.form": {
    pass: [traffic(token())],
    fail: [
      [
        traffic(token({ sent: { "Content-Type": "application/json" } })),
        "the token request has the Content-Type application/json",
      ],
      [traffic(token({ sent: {} })), "the token request has no Content-Type"],
    ],
    untouched: [traffic(called())],
  },
  "token.sandbox": {
    pass: [traffic(token())],
    fail: [
      [
        traffic(token({ credentials: [{ ...secret, environment: "production" }] })),
        "the token request has a credential of production",
      ],
    ],
    untouched: [traffic(called({ credentials: [{ ...secret, environment: "production" }] }))],
  },
  "token.reuse": {
    pass: [
      traffic(token(), called(), called()),
      traffic(token(), called(), token(), called()),
      traffic(token(), expired, token(), expired, token(), expired, token()),
      traffic(
        token(),
        token({ at: "2026-11-20T01:00:00.000Z" }),
        token({ at: "2026-11-20T02:00:00.000Z" }),
        token({ at: "2026-11-20T03:00:00.000Z" }),
      ),
    ],
    fail: [
      [
        traffic(token(), called(), token(), called(), token(), called()),
        "the program requests a token although it has a valid one",
      ],
    ],
    untouched: [traffic(called()), traffic(token(refused("invalid_client", [], 401)))],
  },
});
