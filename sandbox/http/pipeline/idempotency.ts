import { sha256Hex, toCanonicalJson } from "../../../src/contract/hash.ts";
import { addDelay } from "../../../src/domain/time-range.ts";
import type { Engine } from "../../engine/engine.ts";
import type { FormFields } from "../../handlers/handler.ts";
import { findStoredResponse, storeResponse } from "../../store/stored-responses.ts";
import { problemError, validationError } from "../../wire/problem-error.ts";
import type { ParsedRequestBody, Step } from "../request-state.ts";
import { sendResponse } from "./handle.ts";

/** Milliseconds of sandbox time (product.md §5). */
const RETENTION_MS = 24 * 3_600_000;

/** Holds the Idempotency-Key while its request runs; refuses a second request with it meanwhile. */
export function lockIdempotencyKey(): Step {
  const running = new Set<string>();
  return async ({ headers, state }, next) => {
    const key = headers["idempotency-key"];
    const { caller, trace } = state;
    if (typeof key !== "string" || !caller || !trace.operation) return next();
    requireValidKey(key);
    state.idempotency = { ...caller, operation: trace.operation, key };
    const name = JSON.stringify(state.idempotency);
    if (running.has(name)) {
      throw problemError("request_in_progress", "A request with this Idempotency-Key is still running.", {
        headers: { "Retry-After": "1" },
      });
    }
    running.add(name);
    try {
      await next();
    } finally {
      running.delete(name);
    }
  };
}

function requireValidKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  const detail = "Idempotency-Key: must have 1 to 255 visible ASCII characters.";
  throw validationError([{ parameter: "Idempotency-Key", code: "malformed", detail }]);
}

/**
 * Sends the stored response of the same request, or stores the one that the handler sends. A refusal is not stored: it
 * changed nothing, so the same key may try again. A repeat over the other path gets the Location of the path that the
 * first request used, because a stored response is replayed unchanged.
 */
export const replayResponse =
  ({ store, clock }: Engine): Step =>
  async (ctx, next) => {
    const { idempotency, params, body } = ctx.state;
    if (!idempotency) return next();
    const fingerprint = fingerprintRequest(params, body);
    const now = clock.now();
    const stored = findStoredResponse(store, idempotency, now);
    const detail = "This Idempotency-Key was used for a request with other content. Use a new key.";
    if (stored && stored.fingerprint !== fingerprint) throw problemError("idempotency_key_reused", detail);
    if (stored)
      return sendResponse(ctx, { ...stored, headers: { ...stored.headers, "Idempotent-Replayed": "true" } });
    await next();
    if (!ctx.state.replay) throw new TypeError("a streamed response cannot be stored for a repeat");
    const expiresAt = addDelay(now, RETENTION_MS);
    storeResponse(store, { ...idempotency, ...ctx.state.replay, fingerprint, expiresAt }, now);
  };

/** What makes two requests the same: decoded fields and file bytes, never the multipart boundary. */
export const fingerprintRequest = (params: object, body: ParsedRequestBody): string =>
  sha256Hex(JSON.stringify([params, toComparable(body)]));

function toComparable({ kind, content }: ParsedRequestBody): unknown {
  switch (kind) {
    case "none":
      return null;
    case "json":
      // Spaces and the order of members do not distinguish two JSON bodies.
      return toCanonicalJson(content);
    case "form":
      return toCanonicalJson(content.fields);
    case "multipart":
      return [
        sortFields(content.fields),
        content.files.map(({ field, sha256, bytes }) => [field, sha256, bytes]),
      ];
  }
}

const sortFields = (fields: FormFields) => [...fields].sort(([one], [other]) => (one < other ? -1 : 1));
