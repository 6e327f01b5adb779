import { CREDENTIAL_RULES } from "../../../../../src/conformance/rules/credentials.ts";
import {
  BEARER,
  called,
  describeRules,
  type RequestParts,
  submitted,
  traffic,
  trialOf,
} from "../../../../support/conformance-trials.ts";

const query = { place: "query", name: "api_key", environment: "sandbox" } as const;
const body = { place: "body", name: null, environment: "sandbox" } as const;
const tokenRequest = (credentials: RequestParts["credentials"] = [{ ...body, name: "client_secret" }]) =>
  called({ method: "POST", target: "/v1/oauth/token", operation: "oauth.token", credentials });

const apiKey = { place: "x-api-key", name: null, environment: "sandbox" } as const;
const userAgent = { place: "header", name: "user-agent", environment: "sandbox" } as const;
const authorization = (name: string | null, environment: "sandbox" | null = "sandbox") =>
  ({ place: "authorization", name, environment }) as const;

const LEGACY = "/api/diligence/status/{jobId}";

const ordinary = (...requests: RequestParts[]) => trialOf({ scenario: "submit.ordinary", requests });

describeRules(CREDENTIAL_RULES, {
  "credential.bearer": {
    pass: [traffic(called()), traffic(called({ credentials: [BEARER, userAgent] }))],
    fail: [
      [
        traffic(called(), called({ credentials: [authorization(null)] })),
        "GET /v1/clients has the credential in Authorization without a scheme",
      ],
      [
        traffic(called({ credentials: [{ ...userAgent, name: "x-token" }] })),
        "GET /v1/clients has the credential in another header than Authorization",
      ],
    ],
    untouched: [
      traffic(called({ credentials: [] })),
      traffic(called({ credentials: [apiKey] })),
      traffic(tokenRequest([authorization("basic")])),
    ],
  },
  "credential.place": {
    pass: [
      traffic(called()),
      traffic(tokenRequest()),
      traffic(called({ operation: null, credentials: [body] })),
      traffic(called({ credentials: [apiKey, userAgent] })),
    ],
    fail: [
      [
        traffic(called({ target: "/v1/clients?api_key=[redacted]", credentials: [query] })),
        "GET /v1/clients has a credential in the query (api_key)",
      ],
      [traffic(called({ credentials: [BEARER, body] })), "GET /v1/clients has a credential in the body"],
    ],
    untouched: [traffic(called({ credentials: [] })), traffic()],
  },
  "credential.api_key": {
    pass: [traffic(called({ operation: "diligence.status", route: LEGACY, credentials: [apiKey] }))],
    fail: [
      [traffic(called({ credentials: [apiKey] })), "GET /v1/clients has X-API-Key as its only credential"],
    ],
    untouched: [
      traffic(called()),
      traffic(called({ credentials: [BEARER, apiKey] })),
      traffic(called({ credentials: [] })),
    ],
  },
  "credential.present": {
    pass: [ordinary(called({ credentials: [] }), submitted())],
    fail: [[ordinary(submitted({ credentials: [] })), "no request has a credential"]],
    untouched: [
      ordinary(called({ credentials: [] })),
      ordinary(tokenRequest([])),
      traffic(submitted({ credentials: [] })),
    ],
  },
  "credential.leak": {
    pass: [traffic(called())],
    fail: [
      [
        traffic(called({ credentials: [BEARER, userAgent] })),
        "a GET request has a credential in the header user-agent",
      ],
      [
        traffic(called({ credentials: [{ ...query, place: "path", name: null }] })),
        "a GET request has a credential in its path",
      ],
    ],
    untouched: [traffic(called({ credentials: [] }))],
  },
  "credential.output": {
    pass: [trialOf({ requests: [called()], runs: [{}] })],
    fail: [
      [
        trialOf({ requests: [called()], runs: [{ showsCredential: true }] }),
        "the program prints a credential",
      ],
    ],
    untouched: [trialOf({ requests: [called({ credentials: [] })], runs: [{}] })],
  },
});
