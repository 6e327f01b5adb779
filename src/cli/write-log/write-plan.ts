import type { ClaimsError } from "../../domain/errors.ts";
import type { WriteResponse } from "./accepted-response.ts";
import type { WriteChoice } from "./decide-write.ts";
import type { WriteDescription } from "./describe-write.ts";

export interface LoggedResponse extends WriteResponse {
  readonly jobId: string | null;
  /** Why a person must make a decision about it. */
  readonly failure?: ClaimsError | undefined;
}

/** What became of a write (product.md §4). `error` says what to do. */
export type WriteResult =
  /** With an error, it needs a decision by a person; then the job id may be null. */
  | {
      readonly outcome: "accepted";
      readonly jobId: string | null;
      readonly key: string;
      readonly response: LoggedResponse;
      readonly error: ClaimsError | null;
    }
  /** The job of an earlier write is used. With an error, that write needs a decision by a person. */
  | {
      readonly outcome: "earlier";
      readonly jobId: string | null;
      readonly key: string;
      readonly error: ClaimsError | null;
    }
  | { readonly outcome: "unknown"; readonly key: string | null; readonly error: ClaimsError }
  /** By the service, or by a check of this machine. */
  | { readonly outcome: "refused"; readonly error: ClaimsError }
  /** The service provably did not execute it. Without an error, the run was stopped before. */
  | { readonly outcome: "not_sent"; readonly error: ClaimsError | null };

export interface WritePlan extends WriteChoice {
  readonly write: WriteDescription;
  /** The key of a new write; the default is a random one. */
  readonly newKey?: string | undefined;
  send(idempotencyKey: string): Promise<WriteResponse>;
  /** Whether the service executes each key once. */
  isKeySupported(): Promise<boolean>;
  /** Before the first attempt of this run to send a write that was not sent before. @throws ClaimsError to refuse it */
  check?(): Promise<void>;
  /** Before the first attempt of this run. @throws ClaimsError to refuse it */
  confirm?(): Promise<void>;
  /** Asks whether to send a duplicate. */
  askToRepeat?(question: string): Promise<boolean>;
  isStopped?(): boolean;
}
