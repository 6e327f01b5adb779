import { findOperation } from "../../contract/operations/operations.ts";
import { listRoutes } from "../../contract/routes.ts";
import { fail, PASS, requestRule, UNTOUCHED } from "../judge.ts";
import { advice, documented, type Rule } from "../rule.ts";
import { describeRequest, isOperation, isWrite } from "../traffic.ts";
import type { LoggedRequest } from "../trial.ts";

const hasPlace = ({ credentials }: LoggedRequest, place: LoggedRequest["credentials"][number]["place"]) =>
  credentials.some((each) => each.place === place);

const listCalls = (requests: readonly LoggedRequest[]) =>
  requests.filter(
    (request) => request.operation !== null && findOperation(request.operation)?.auth !== "client",
  );

const LEGACY_ROUTES: ReadonlySet<string> = new Set(
  listRoutes().flatMap(({ path, isLegacy }) => (isLegacy ? path : [])),
);

export const CREDENTIAL_RULES: readonly Rule[] = [
  /** A request without any credential is no failure: it may be a probe, or ask what the service wants. */
  requestRule({
    id: "credential.bearer",
    ...documented("bearer"),
    title: "sends the credential as Authorization: Bearer",
    fix: "send the header Authorization: Bearer <API_KEY>, or the access token in its place",
    subjects: (requests) =>
      listCalls(requests).filter(
        (request) =>
          hasPlace(request, "authorization") ||
          (hasPlace(request, "header") && !hasPlace(request, "x-api-key")),
      ),
    findFault: (request) => {
      const sent = request.credentials.find(({ place }) => place === "authorization");
      if (!sent) return `${describeRequest(request)} has the credential in another header than Authorization`;
      // Another scheme with a value that is not one of the service's may belong to a proxy.
      if (sent.name === "bearer" || sent.environment === null) return null;
      const scheme = sent.name === null ? "without a scheme" : `with the scheme ${sent.name}`;
      return `${describeRequest(request)} has the credential in Authorization ${scheme}`;
    },
  }),
  requestRule({
    id: "credential.place",
    ...documented("bearer"),
    title: "never sends the credential in the query or the body",
    fix: "remove the credential from the query and the body; logs and proxies keep them",
    subjects: (requests) => requests.filter(({ credentials }) => credentials.length > 0),
    findFault: (request) => {
      // The token route takes its credential in the body; a wrong path of it is unknown.
      const takesBody = request.operation === null || isOperation(request, "oauth.token");
      const wrong = request.credentials.find(
        (each) => each.place === "query" || (each.place === "body" && !takesBody),
      );
      const name = wrong?.name ? ` (${wrong.name})` : "";
      return wrong ? `${describeRequest(request)} has a credential in the ${wrong.place}${name}` : null;
    },
  }),
  requestRule({
    id: "credential.api_key",
    ...documented("apiKey"),
    title: "sends X-API-Key without Authorization only to compatibility paths of diligence",
    fix: "send Authorization: Bearer; X-API-Key is for the paths below /api/diligence/",
    subjects: (requests) =>
      listCalls(requests).filter(
        (request) => hasPlace(request, "x-api-key") && !hasPlace(request, "authorization"),
      ),
    findFault: (request) =>
      LEGACY_ROUTES.has(request.route ?? "")
        ? null
        : `${describeRequest(request)} has X-API-Key as its only credential`,
  }),
  /** Only a program without any credential is certain to be wrong: one request without it may be a probe. */
  {
    id: "credential.present",
    ...documented("credentials"),
    title: "sends a credential",
    fix: "send the credential with each request; every route takes one",
    scenarios: ["submit.ordinary"],
    judge({ scenario, requests }) {
      const calls = listCalls(requests);
      if (scenario === null || calls.length === 0) return UNTOUCHED;
      if (calls.some(({ credentials }) => credentials.length > 0)) return PASS;
      return calls.some(isWrite) ? fail("no request has a credential", calls) : UNTOUCHED;
    },
  },
  requestRule({
    id: "credential.leak",
    ...advice(null),
    title: "puts no credential in a URL path, User-Agent or another header that is logged",
    fix: "remove the credential from everything but Authorization",
    subjects: (requests) => requests.filter(({ credentials }) => credentials.length > 0),
    findFault: (request) => {
      const leaked = request.credentials.find((each) => each.place === "path" || each.place === "header");
      if (!leaked) return null;
      const where = leaked.name === null ? "its path" : `the header ${leaked.name}`;
      return `a ${request.method} request has a credential in ${where}`;
    },
  }),
  {
    id: "credential.output",
    ...advice(null),
    title: "prints no credential",
    fix: "leave credentials and whole request headers out of what the program prints: logs keep it",
    scenarios: "any",
    judge({ runs, requests }) {
      const sent = requests.filter(({ credentials }) => credentials.length > 0);
      if (sent.length === 0) return UNTOUCHED;
      return runs.some(({ showsCredential }) => showsCredential)
        ? fail("the program prints a credential", sent.slice(0, 1))
        : PASS;
    },
  },
];
