import Router from "@koa/router";
import { toAliasOperation } from "../../src/contract/alias-request.ts";
import { type Operation, takesIdempotencyKey } from "../../src/contract/operations/operation.ts";
import { OPERATIONS } from "../../src/contract/operations/operations.ts";
import { listRoutesOf, type OperationRoute } from "../../src/contract/routes.ts";
import type { Engine } from "../engine/engine.ts";
import { HANDLERS } from "../handlers/index.ts";
import { injectFault } from "./faults/inject-fault.ts";
import { forwardToCanonical, nameAlias } from "./pipeline/alias.ts";
import { authenticate, requireSandbox, tokenEndpoint } from "./pipeline/authenticate.ts";
import { handle, type UntypedHandler } from "./pipeline/handle.ts";
import { lockIdempotencyKey, replayResponse } from "./pipeline/idempotency.ts";
import { lowerCaseIds, readBody, refuseBody, validateParams, validateQuery } from "./pipeline/input.ts";
import type { RequestState, Step } from "./request-state.ts";

export function createRouter(engine: Engine): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  const lockKey = lockIdempotencyKey();
  for (const [noun, verbs] of Object.entries(OPERATIONS))
    for (const [verb, operation] of Object.entries(verbs) as [string, Operation][])
      for (const route of listRoutesOf(operation)) {
        const last = handle(operation, findHandler(noun, verb), engine, route.isLegacy);
        const steps = [...pipeline(route, engine, lockKey), last];
        router.register(toRouterPath(route.path), [...route.methods], compose(steps));
      }
  return router;
}

function pipeline(
  { operation, path, isLegacy, alias }: OperationRoute,
  engine: Engine,
  lockKey: Step,
): Step[] {
  const accepted = alias ? toAliasOperation(operation, alias) : operation;
  const isIdempotent = takesIdempotencyKey(operation);
  return [
    noteRoute(operation, path),
    ...(alias ? [nameAlias(alias)] : []),
    injectFault(operation, engine),
    operation.auth === "client" ? tokenEndpoint(engine) : authenticate(engine, isLegacy),
    ...(operation.sandboxOnly ? [requireSandbox] : []),
    ...(isIdempotent ? [lockKey] : []),
    ...(accepted.params ? [validateParams(accepted.params)] : []),
    validateQuery(accepted, engine),
    ...(accepted.request ? readBody(accepted, accepted.request, engine) : []),
    ...(!accepted.request && isIdempotent ? refuseBody : []),
    lowerCaseIds,
    ...(alias ? [forwardToCanonical(operation, alias)] : []),
    ...(isIdempotent ? [replayResponse(engine)] : []),
  ];
}

/** Makes the steps one middleware; the router would compose them again for every request. */
const compose = (steps: readonly Step[]) =>
  steps.reduceRight<(ctx: Parameters<Step>[0]) => Promise<unknown>>(
    (next, step) => (ctx) => step(ctx, () => next(ctx)),
    async () => undefined,
  );

const noteRoute =
  ({ id }: Operation, path: string): Step =>
  ({ state, params }, next) => {
    state.params = params;
    state.trace.operation = id;
    state.trace.route = path;
    return next();
  };

const toRouterPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");

// HANDLERS is typed by the same two keys; only a walk over all of them cannot be.
const findHandler = (noun: string, verb: string): UntypedHandler =>
  (HANDLERS as unknown as Record<string, Record<string, UntypedHandler>>)[noun]?.[verb] as UntypedHandler;
