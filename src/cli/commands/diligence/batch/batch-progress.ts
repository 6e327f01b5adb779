import type { ClaimsError } from "../../../../domain/errors.ts";

/** After so many submissions in a row that did not reach the service, the batch stops. */
const MAX_UNREACHED_IN_A_ROW = 3;

/** A write log that cannot be used for one file cannot be used for the next, and the next file would go elsewhere, too. */
const STOPPING_CODES: ReadonlySet<string> = new Set([
  ...["write_log_unwritable", "write_log_unreadable", "locked", "accepted_elsewhere"],
]);

/** Decides whether a batch continues. */
export class BatchProgress {
  readonly #signal: AbortSignal;
  #unreachedInARow = 0;
  #hasGivenUp = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get isStopped(): boolean {
    return this.#hasGivenUp || this.#signal.aborted;
  }

  recordSuccess(): void {
    this.#unreachedInARow = 0;
  }

  /**
   * A refused credential stops the batch immediately, an unreachable service after a few submissions. So do unknown outcomes,
   * unless the submissions can be sent again under their keys.
   */
  recordFailure({ cause, code, kind, retryable }: ClaimsError): void {
    const isUnknown = code === "outcome_unknown";
    // Without a cause, this run sent nothing.
    if (isUnknown && (cause === undefined || (kind === "unreachable" && retryable))) return;
    this.#unreachedInARow = isUnknown || kind === "unreachable" ? this.#unreachedInARow + 1 : 0;
    const isHopeless = kind === "credential" || STOPPING_CODES.has(code);
    if (isHopeless || this.#unreachedInARow >= MAX_UNREACHED_IN_A_ROW) this.#hasGivenUp = true;
  }
}
