import { type ClaimsError, interruptedError } from "../../../../domain/errors.ts";

/** After so many submissions in a row that did not reach the service, the others would not either. */
const MAX_UNREACHED_IN_A_ROW = 3;

/** How a batch is going: whether it is to go on, and what has gone wrong. */
export class BatchProgress {
  readonly #signal: AbortSignal;
  readonly failures: ClaimsError[] = [];
  #inARow = 0;
  #stopped = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether nothing new is to be sent any more. */
  get isStopped(): boolean {
    return this.#stopped || this.#signal.aborted;
  }

  recordSuccess(): void {
    this.#inARow = 0;
  }

  /** A refused credential stops the batch at once, a service that is away after a few submissions. */
  recordFailure(error: ClaimsError): void {
    this.failures.push(error);
    this.#inARow = error.kind === "unreachable" ? this.#inARow + 1 : 0;
    const isHopeless = error.kind === "credential" || STOPPING_CODES.has(error.code);
    if (isHopeless || this.#inARow >= MAX_UNREACHED_IN_A_ROW) this.#stopped = true;
  }

  /** All that went wrong, for when the last item is out; a batch that was stopped was interrupted, if nothing says so yet. */
  allFailures(): readonly ClaimsError[] {
    const hasInterruption = this.failures.some(({ kind }) => kind === "interrupted");
    return this.#signal.aborted && !hasInterruption
      ? [...this.failures, interruptedError(this.#signal.reason)]
      : this.failures;
  }
}

/** What cannot be written down is not sent, and that will not change from one file to the next. */
const STOPPING_CODES: ReadonlySet<string> = new Set(["write_log_unwritable", "write_log_unreadable"]);
