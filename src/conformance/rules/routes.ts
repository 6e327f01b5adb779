import { findAlias } from "../../contract/aliases.ts";
import { MEDIA_TYPE } from "../../contract/operation.ts";
import { findOperation } from "../../contract/operations.ts";
import { listRoutes } from "../../contract/routes.ts";
import { findClosest } from "../../domain/text.ts";
import { judgeEach, mergeJudgements, PASS, UNTOUCHED, untouched } from "../judge.ts";
import type { Rule } from "../rule.ts";
import { describeRequest, describeType, isOperation, listRuns, mediaType } from "../traffic.ts";
import type { TrafficRequest } from "../trial.ts";

const json: Rule = {
  id: "request.json",
  basis: "documented",
  statement: "content.json",
  title: "sends JSON as application/json",
  fix: "send Content-Type: application/json with a JSON body",
  scenarios: "any",
  judge: ({ requests }) =>
    judgeEach(
      requests.filter(
        (request) =>
          findOperation(request.operation)?.request?.kind === "json" && (request.requestBody?.size ?? 0) > 0,
      ),
      (request) =>
        mediaType(request) === MEDIA_TYPE.json
          ? null
          : `${describeRequest(request)} has ${describeType(request)}`,
    ),
};

const claimId: Rule = {
  id: "request.claim_id",
  basis: "documented",
  statement: "claims.status",
  title: "asks for the status of a claim with claimId in the query",
  fix: "send GET /v1/claims/status?claimId=…",
  scenarios: "any",
  judge: ({ requests }) =>
    judgeEach(
      requests.filter((request) => isOperation(request, "claims.status")),
      ({ target }) =>
        /[?&]claimId=[^&]/.test(target) ? null : "a request for the status of a claim has no claimId",
    ),
};

const HEADER_NAMES = /x-service-(broker-alias|canonical-path|compatibility-lifecycle)/i;

/** A log elsewhere than in the output cannot be seen, so this never fails. */
const aliasLog: Rule = {
  id: "alias.log",
  basis: "documented",
  statement: "alias.log",
  title:
    "shows the headers of alias traffic in what it prints; never fails, because it may log them elsewhere",
  fix: "log X-Service-Broker-Alias, X-Service-Canonical-Path and X-Service-Compatibility-Lifecycle of each response",
  scenarios: "any",
  judge: (trial) =>
    mergeJudgements(
      listRuns(trial).map(({ run, requests }) => {
        const aliases = requests.flatMap(({ alias }) => alias ?? []);
        const isShown = ({ canonicalPath }: { readonly canonicalPath: string }) =>
          run !== null && (HEADER_NAMES.test(run.output) || run.output.includes(canonicalPath));
        if (aliases.length === 0) return UNTOUCHED;
        return aliases.every(isShown)
          ? PASS
          : untouched("the output does not show the headers; another log may");
      }),
    ),
};

/** An existing use belongs in the list of expected failures, until the sunset date that the integrator set for it. */
const aliasLifecycle: Rule = {
  id: "alias.migration_only",
  basis: "documented",
  statement: "alias.sunset",
  title: "starts no new use of a migration-only alias",
  fix: "use the canonical path; put an existing use in the list of expected failures until its sunset date",
  scenarios: "any",
  judge: ({ requests }) =>
    judgeEach(
      requests.filter(({ alias }) => alias !== null),
      (request) => {
        const alias = findAlias(request.target);
        if (alias?.lifecycle !== "migration_only") return null;
        return `${describeRequest(request)} is migration_only; the canonical path is ${alias.canonicalPath}`;
      },
    ),
};

/** HEAD and OPTIONS are questions about a route. */
const listStrange = (requests: readonly TrafficRequest[], code: string) =>
  requests.filter(({ method, problem }) => !/^(HEAD|OPTIONS)$/.test(method) && problem?.code === code);

/** A rule about requests that the table of operations does not have. */
const contractRule = (facts: Omit<Rule, "scenarios" | "judge">, code: string): Rule => ({
  ...facts,
  scenarios: "any",
  judge({ requests }) {
    const strange = listStrange(requests, code);
    if (strange.length === 0) return requests.some(({ operation }) => operation !== null) ? PASS : UNTOUCHED;
    return judgeEach(strange, (request) => {
      const closest = findClosestRoute(request);
      const next = closest === null ? "" : `; the closest operation is ${closest}`;
      return `${describeRequest(request)} is no operation of the interface${next}`;
    });
  },
});

/** By the letters of its method and path. */
const findClosestRoute = (request: TrafficRequest): string | null =>
  findClosest(
    describeRequest(request).replace(/[0-9a-f-]{36}/gi, "{id}"),
    listRoutes().flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`)),
    request.target.length,
  );

const path = contractRule(
  {
    id: "request.path",
    basis: "documented",
    statement: "routes",
    title: "requests only paths of the interface",
    fix: "send requests only to the paths that the interface lists",
  },
  "route_not_found",
);

const method = contractRule(
  {
    id: "request.method",
    basis: "assumed",
    statement: "aliases",
    title: "requests each path with a method that it has",
    fix: "use the method that the interface shows or implies for the path",
  },
  "method_not_allowed",
);

const canonical: Rule = {
  id: "request.canonical",
  basis: "advice",
  statement: "canonical.first",
  title: "uses no legacy path and no alias where there is a canonical path",
  fix: "send the request to the canonical path below /v1/; an existing use can stand in the file of --expected",
  scenarios: "any",
  judge: ({ requests }) =>
    judgeEach(
      requests.filter(({ operation }) => operation !== null),
      (request) =>
        request.alias !== null || !request.target.startsWith("/v1/")
          ? `${describeRequest(request)} is a compatibility path; the canonical one is ${findOperation(request.operation)?.path}`
          : null,
    ),
};

export const ROUTE_RULES: readonly Rule[] = [
  path,
  method,
  json,
  claimId,
  canonical,
  aliasLog,
  aliasLifecycle,
];
