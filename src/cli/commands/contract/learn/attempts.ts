import { DryRun, type DryRunRequest } from "../../../../client/dry-run.ts";
import { ClaimsError } from "../../../../domain/errors.ts";

const FINAL_STATUSES: readonly number[] = [401, 429, 503];

/** Whether the service responded to a request, so that others can show more. */
const isAnswer = (error: unknown): error is ClaimsError =>
  error instanceof ClaimsError && (error.code === "response_too_large" || isRefusal(error));

const isRefusal = (error: ClaimsError): boolean =>
  error.code !== "outcome_unknown" &&
  error.status !== undefined &&
  error.status >= 400 &&
  !FINAL_STATUSES.includes(error.status);

/** Requests of one run. A refusal is a response to learn from; after another error, the rest would fail too. */
export class Attempts {
  readonly requests: DryRunRequest[] = [];
  refusal: ClaimsError | undefined;

  /** Undefined for a refusal, and in a dry run. */
  async read<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DryRun) this.requests.push(error.request);
      else if (!isAnswer(error)) throw error;
      return undefined;
    }
  }

  /** The same, and the run ends with the refusal. */
  write<T>(work: () => Promise<T>): Promise<T | undefined> {
    return this.read(() =>
      work().catch((error: unknown) => {
        if (isAnswer(error)) this.refusal ??= error;
        throw error;
      }),
    );
  }
}
