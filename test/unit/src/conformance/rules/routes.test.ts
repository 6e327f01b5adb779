import { ROUTE_RULES } from "../../../../../src/conformance/rules/routes.ts";
import {
  called,
  describeRules,
  type RequestParts,
  refused,
  traffic,
} from "../../../../support/conformance-trials.ts";

const created = (type: string, body = "{}") =>
  traffic(called({ method: "POST", operation: "clients.create", body, sent: { "content-type": type } }));

const claimStatus = (parts: RequestParts = {}) =>
  traffic(called({ operation: "claims.status", target: "/v1/claims/status", ...parts }));

const aliased = (path: string, canonicalPath: string): RequestParts =>
  called({ target: `${path}?limit=1`, alias: { path, canonicalPath } });

const clients = aliased("/broker/v1/clients", "/v1/clients");
const onboarding = aliased("/broker/onboard", "/v1/partner-organizations/juniper-row");

const strange = (code: string, method: string, target: string) =>
  traffic(called({ method, target, operation: null, problem: { code, detail: "", errors: [] } }));

describeRules(ROUTE_RULES, {
  "request.path": {
    pass: [traffic(called())],
    fail: [
      [
        strange("route_not_found", "GET", "/v1/client"),
        "GET /v1/client is no operation of the interface; the closest one is GET /v1/clients",
      ],
    ],
    untouched: [traffic(), strange("route_not_found", "HEAD", "/v1/client")],
  },
  "request.method": {
    pass: [traffic(called())],
    fail: [
      [
        strange("method_not_allowed", "PATCH", "/v1/clients"),
        "PATCH /v1/clients is no operation of the interface; the closest one is POST /v1/clients",
      ],
    ],
    untouched: [traffic(), strange("method_not_allowed", "OPTIONS", "/v1/clients")],
  },
  "request.json": {
    pass: [created("application/json; charset=utf-8")],
    fail: [
      [created("text/plain"), "POST /v1/clients has the Content-Type text/plain"],
      [created(""), "POST /v1/clients has no Content-Type"],
    ],
    untouched: [created("text/plain", ""), traffic(called())],
  },
  "request.claim_id": {
    pass: [claimStatus()],
    fail: [
      [
        claimStatus(refused("validation_failed", [["claimId", "required"]])),
        "GET /v1/claims/status is refused: claimId required",
      ],
    ],
    untouched: [traffic(called())],
  },
  "request.canonical": {
    pass: [traffic(called())],
    fail: [
      [
        traffic(called(), clients),
        "GET /broker/v1/clients is a compatibility path; the canonical one is /v1/clients",
      ],
    ],
    untouched: [traffic(called({ operation: null, target: "/api/x" }))],
  },
  "alias.migration_only": {
    pass: [traffic(clients)],
    fail: [
      [
        traffic(clients, onboarding),
        "GET /broker/onboard is migration_only; the canonical path is /v1/partner-organizations/{partnerOrgId}",
      ],
    ],
    untouched: [traffic(called())],
  },
});
