import { findAlias } from "../../contract/aliases.ts";
import { MEDIA_TYPE } from "../../contract/operations/operation.ts";
import { findOperation } from "../../contract/operations/operations.ts";
import { listRoutes } from "../../contract/routes.ts";
import { findClosest } from "../../domain/text.ts";
import { fieldRule, judgeEach, PASS, requestRule, UNTOUCHED } from "../judge.ts";
import { advice, assumed, documented, type Rule } from "../rule.ts";
import { describeRequest, describeType, mediaType } from "../traffic.ts";

/** A rule about requests that the table of operations does not have. HEAD and OPTIONS are questions about a route. */
const contractRule = (
  code: "route_not_found" | "method_not_allowed",
  facts: Pick<Rule, "id" | "basis" | "statement" | "title">,
): Rule => ({
  ...facts,
  fix: "send each request to a path of the interface, with its method",
  scenarios: "any",
  judge({ requests }) {
    const strange = requests.filter(
      ({ method, problem }) => !/^(HEAD|OPTIONS)$/.test(method) && problem?.code === code,
    );
    if (strange.length === 0) return requests.some(({ operation }) => operation !== null) ? PASS : UNTOUCHED;
    return judgeEach(strange, (request) => {
      const given = describeRequest(request);
      const closest = findClosest(given.replace(/[0-9a-f-]{36}/gi, "{id}"), OPERATION_NAMES, given.length);
      return `${given} is no operation of the interface; the closest one is ${closest}`;
    });
  },
});

const OPERATION_NAMES = listRoutes().flatMap(({ path, methods }) =>
  methods.map((method) => `${method} ${path}`),
);

export const ROUTE_RULES: readonly Rule[] = [
  contractRule("route_not_found", {
    id: "request.path",
    ...documented("routes"),
    title: "requests only paths of the interface",
  }),
  contractRule("method_not_allowed", {
    id: "request.method",
    ...assumed("aliases"),
    title: "requests each path with its method",
  }),
  requestRule({
    id: "request.json",
    ...documented("content.json"),
    title: "sends JSON as application/json",
    fix: "send Content-Type: application/json with a JSON body",
    subjects: (requests) =>
      requests.filter(
        (request) =>
          findOperation(request.operation)?.request?.kind === "json" && (request.requestBody?.size ?? 0) > 0,
      ),
    findFault: (request) =>
      mediaType(request) === MEDIA_TYPE.json
        ? null
        : `${describeRequest(request)} has ${describeType(request)}`,
  }),
  fieldRule({
    id: "request.claim_id",
    ...documented("claims.status"),
    title: "asks for the status of a claim with claimId in the query",
    fix: "send GET /v1/claims/status?claimId=…",
    operation: "claims.status",
    isFault: (field) => field === "claimId",
  }),
  requestRule({
    id: "request.canonical",
    ...advice("canonical.first"),
    title: "uses no legacy path and no alias where there is a canonical path",
    fix: "send the request to the canonical path below /v1/; an existing use can stand in the file of --expected",
    subjects: (requests) => requests.filter(({ operation }) => operation !== null),
    findFault(request) {
      const { path: own } = findOperation(request.operation) ?? {};
      if (request.alias === null && request.route === own) return null;
      return `${describeRequest(request)} is a compatibility path; the canonical one is ${own}`;
    },
  }),
  /** An existing use belongs in the list of expected failures, until the sunset date that the integrator set for it. */
  requestRule({
    id: "alias.migration_only",
    ...documented("alias.sunset"),
    title: "starts no new use of a migration-only alias",
    fix: "use the canonical path; put an existing use in the list of expected failures until its sunset date",
    subjects: (requests) => requests.filter(({ alias }) => alias !== null),
    findFault: (request) => {
      const alias = findAlias(request.target);
      if (alias?.lifecycle !== "migration_only") return null;
      return `${describeRequest(request)} is migration_only; the canonical path is ${alias.canonicalPath}`;
    },
  }),
];
