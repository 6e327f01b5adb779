import { randomUUID } from "node:crypto";
import { ClaimsError, needsDecisionError, rephraseError } from "../../domain/errors.ts";
import { parseJsonText, valueAt } from "../../domain/json.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { keepResponse } from "../files/save-response.ts";
import { printMessage } from "../output/stderr.ts";
import { findDecision, hintToResolve, isUnrecognized, refuseResend, type WriteResponse } from "./decision.ts";
import type { WriteDescription } from "./describe-write.ts";
import { type BegunWrite, LoggedWrites } from "./logged-writes.ts";
import { openWriteLog } from "./write-log.ts";
import type { WriteOptions } from "./write-options.ts";
import { findScope, hasUnknownOutcome } from "./write-record.ts";

/** The writes of this machine; for a dry run, and for a sandbox that stops with the command, none. */
export async function openLoggedWrites(context: Context, service: Service): Promise<LoggedWrites> {
  const { connection, isDryRun } = service;
  const machine = connection.isTemporary || isDryRun ? null : openWriteLog(context);
  return new LoggedWrites(context, await findScope(service), { machine });
}

export interface LoggedResponse extends WriteResponse {
  readonly jobId: string | null;
  /** Why a person must make a decision about it. */
  readonly failure?: ClaimsError | undefined;
}

/** The intent is on disk before the request (product.md §4). @throws ClaimsError `needs_decision`, also before sending */
export async function sendLogged(
  context: Context,
  service: Service,
  write: WriteDescription,
  options: WriteOptions,
  send: (idempotencyKey: string) => Promise<WriteResponse>,
): Promise<LoggedResponse> {
  const { idempotencyKey: given } = options;
  const writes = await openLoggedWrites(context, service);
  const isKeySupported = createKeyCheck(service, write.operation);
  const unknown = (await writes.read(write)).findLast(
    (record) =>
      record.content === write.content &&
      hasUnknownOutcome(record, context) &&
      (given === undefined || given === record.key || isUnrecognized(record)),
  );
  if (unknown) {
    await refuseResend(context, unknown, options, isKeySupported);
    const { at, key } = unknown;
    const message = `the outcome of the same write at ${at} is unknown; sending it again with key ${given ?? key}`;
    printMessage(context, `warning: ${message}`);
  }
  const begun = { ...write, key: given ?? unknown?.key ?? randomUUID() };
  await writes.begin(begun, () => true);
  return finishWrite(context, writes, begun, () => send(begun.key), isKeySupported);
}

/** Asks the service's contract once. */
export function createKeyCheck(service: Service, operation: string, legacy = false): () => Promise<boolean> {
  const rows = Object.values(service.operations).flatMap((family) => Object.values(family));
  const row = rows.find(({ id }) => id === operation);
  const path = row && ((legacy && "legacyPath" in row && row.legacyPath) || row.path);
  const route = row ? `${row.method} ${path}` : operation;
  let found: Promise<boolean> | undefined;
  return () => {
    found ??= supportsIdempotencyKey(service, route).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

export async function finishWrite(
  context: Context,
  writes: LoggedWrites,
  write: BegunWrite,
  send: () => Promise<WriteResponse>,
  isKeySupported: () => Promise<boolean>,
): Promise<LoggedResponse> {
  let response: WriteResponse;
  try {
    response = await send();
  } catch (error) {
    await writes.end(write, toOutcome(error));
    if (!(error instanceof ClaimsError) || !isOutcomeUnknown(error)) throw error;
    if (isUnrecognized(error)) throw rephraseError(error, { hint: hintToResolve(write.key) });
    throw error.kind === "interrupted"
      ? rephraseError(error, { hint: RUN_AGAIN })
      : await addNextStep(error, write.key, isKeySupported);
  }
  const { jobId = write.jobId, status } = response;
  const decision = findDecision({ ...write, ...writes.scope }, { ...response, jobId });
  const saved = decision && (await keepResponse(context, "write", response.body));
  const failure = saved
    ? rephraseError(decision, { message: `${decision.message}; ${saved.note}` })
    : undefined;
  const details = { code: failure?.code, responseFile: saved?.path };
  if (failure && isOutcomeUnknown(failure)) {
    await writes.end(write, { type: "unknown", ...details, code: failure.code });
    throw failure;
  }
  await writes.end(write, { type: "accepted", ...details, jobId, status });
  return { ...response, jobId, failure };
}

/** Whether the service may have executed a write that failed with this error. */
export const isOutcomeUnknown = ({ code }: ClaimsError): boolean =>
  code === "outcome_unknown" || code === "interrupted_unknown" || code === "response_unrecognized";

/** Another error may have happened at any point. */
function toOutcome(error: unknown) {
  if (!(error instanceof ClaimsError)) return { type: "unknown", code: "unexpected" } as const;
  const { code, status = null } = error;
  if (isOutcomeUnknown(error)) return { type: "unknown", code } as const;
  return { type: "refused", code, status } as const;
}

const RUN_AGAIN = "run the command again: it uses the same key; `claims history --unknown` lists such writes";

/** A service that declares the key executes a repeat once. While it does not respond, the next run finds out. */
async function addNextStep(error: ClaimsError, key: string, isKeySupported: () => Promise<boolean>) {
  const { message, status, requestId, cause } = error;
  const canRepeat = await isKeySupported().catch(() => null);
  if (canRepeat !== false) {
    return rephraseError(error, { hint: RUN_AGAIN, retryable: canRepeat === true });
  }
  return needsDecisionError("outcome_unknown", `${message}; the service's contract has no Idempotency-Key`, {
    ...{ status, requestId, cause },
    hint: `look for it on the service; \`claims history resolve ${key}\` records what happened, and --resend-unknown sends it again`,
  });
}

/** By its own contract (interface §9.4); otherwise a second request is a second write. @param route method and path */
async function supportsIdempotencyKey({ client, operations }: Service, route: string): Promise<boolean> {
  let document: unknown;
  try {
    const { body } = await client.send(operations.document.openapi);
    document = parseJsonText(body.toString("utf8"));
  } catch (error) {
    if (error instanceof ClaimsError && isContractUnavailable(error)) return false;
    throw error;
  }
  const [method = "", target = ""] = route.split(" ");
  const [path = ""] = target.split("?");
  const paths = Object(valueAt(document, "paths")) as Record<string, unknown>;
  const item = paths[path] ?? Object.entries(paths).find(([template]) => isPathOf(template, path))?.[1];
  const lists = [valueAt(item, "parameters"), valueAt(item, `${method.toLowerCase()}.parameters`)];
  return lists
    .filter(Array.isArray)
    .flat()
    .some((parameter) => {
      const { in: location, name } = Object(resolveReference(document, parameter));
      return location === "header" && String(name).toLowerCase() === "idempotency-key";
    });
}

function isPathOf(template: string, path: string): boolean {
  const parts = path.split("/");
  const expected = template.split("/");
  return (
    parts.length === expected.length &&
    expected.every((part, index) => part === parts[index] || part.startsWith("{"))
  );
}

/** The service has no contract, or refuses it to this credential. */
const isContractUnavailable = ({ kind, status }: ClaimsError): boolean =>
  kind === "not_found" || kind === "rejected" || status === 403;

function resolveReference(document: unknown, parameter: unknown): unknown {
  const reference = valueAt(parameter, "$ref");
  if (typeof reference !== "string" || !reference.startsWith("#/")) return parameter;
  return valueAt(document, reference.slice(2).replaceAll("/", "."));
}
