import { findAlias } from "../../contract/aliases.ts";
import { MEDIA_TYPE } from "../../contract/operation.ts";
import { findOperation } from "../../contract/operations.ts";
import { judgeEach, mergeJudgements, PASS, UNTOUCHED, untouched } from "../judge.ts";
import type { Rule } from "../rule.ts";
import { describeRequest, describeType, isOperation, listRuns, mediaType } from "../traffic.ts";

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

export const ROUTE_RULES: readonly Rule[] = [json, claimId, aliasLog, aliasLifecycle];
