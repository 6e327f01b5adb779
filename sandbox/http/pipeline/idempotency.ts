import { sha256Hex, toCanonicalJson } from "../../../src/contract/hash.ts";
import type { Engine } from "../../engine/engine.ts";
import type { FormFields } from "../../handlers/handler.ts";
import { findStoredResponse, type IdempotencyScope, storeResponse } from "../../store/stored-responses.ts";
import { problemError, validationError } from "../../wire/problem-error.ts";
import type { ParsedRequestBody } from "./body.ts";

/** Milliseconds of sandbox time (product.md §5). */
const RETENTION_MS = 24 * 3_600_000;

/** An answer as it goes out. */
export interface FinishedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a request is answered, and what is kept for its repeats: a secret is told once. */
interface ReplayableResponse {
  readonly response: FinishedResponse;
  readonly stored: FinishedResponse;
}

/** Reads the Idempotency-Key header; null where there is none. */
export function parseIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  const detail = "Idempotency-Key: must have 1 to 255 visible ASCII characters.";
  throw validationError([{ parameter: "Idempotency-Key", code: "malformed", detail }]);
}

/** What makes two requests the same: decoded fields and file bytes, never the multipart boundary. */
export function fingerprintRequest(params: object, body: ParsedRequestBody): string {
  return sha256Hex(JSON.stringify([params, toComparable(body)]));
}

function toComparable(body: ParsedRequestBody): unknown {
  switch (body.kind) {
    case "none":
      return null;
    case "json":
      // Neither spaces nor the order of members tells two JSON bodies apart.
      return toCanonicalJson(body.content);
    case "form":
      return sortFields(body.content);
    case "multipart": {
      const { fields, files } = body.content;
      return [sortFields(fields), files.map(({ field, sha256, bytes }) => [field, sha256, bytes])];
    }
  }
}

const sortFields = (fields: FormFields) => [...fields].sort(([one], [other]) => (one < other ? -1 : 1));

/** Remembers which keys are being worked on and which have been answered. */
export class Idempotency {
  readonly #engine: Engine;
  readonly #running = new Set<string>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Holds the key while `work` runs; a second request with it meanwhile is refused. */
  async lock<T>(scope: IdempotencyScope, work: () => Promise<T>): Promise<T> {
    const name = JSON.stringify([scope.partner, scope.environment, scope.operation, scope.key]);
    if (this.#running.has(name)) {
      throw problemError("request_in_progress", "A request with this Idempotency-Key is still running.", {
        headers: { "Retry-After": "1" },
      });
    }
    this.#running.add(name);
    try {
      return await work();
    } finally {
      this.#running.delete(name);
    }
  }

  /**
   * The stored answer of the same request, or the answer of `work`, which is stored when it is a success. A refusal
   * changed nothing, so the same key may try again. A repeat over the other surface gets the Location of the surface
   * that the first request used: a stored answer is given again as it was.
   */
  async replayOrRun(
    scope: IdempotencyScope,
    fingerprint: string,
    work: () => Promise<ReplayableResponse>,
  ): Promise<FinishedResponse> {
    const { store, clock } = this.#engine;
    const now = clock.now();
    const stored = findStoredResponse(store, scope, now);
    if (stored && stored.fingerprint !== fingerprint) {
      throw problemError(
        "idempotency_key_reused",
        "This Idempotency-Key was used for a request with other content. Use a new key.",
      );
    }
    if (stored) return { ...stored, headers: { ...stored.headers, "Idempotent-Replayed": "true" } };
    const { response: answer, stored: kept } = await work();
    storeResponse(
      store,
      scope,
      { ...kept, fingerprint: fingerprint },
      { now, expiresAt: now + RETENTION_MS },
    );
    return answer;
  }
}
