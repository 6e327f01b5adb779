import type { TSchema } from "typebox";
import type { Operation } from "../../src/contract/operation.ts";
import type { FinishedResponse } from "../store/stored-responses.ts";
import type { ProblemError } from "../wire/problem-error.ts";

export interface RewrittenError {
  /** Null for that of a problem document. */
  readonly type: string | null;
  readonly body: string;
  /** `dimension=variant` */
  readonly variations: readonly string[];
}

/** Writes the responses of the handlers in the form of another service: a varied one, or one that was observed. */
export interface ResponseRewriter {
  /** The variations of any item of {@link rewriteItem}. */
  readonly itemVariations: readonly string[];

  /** The body is that of the operation's contract. */
  rewriteResponse(operation: Operation, response: FinishedResponse): FinishedResponse;

  /**
   * Rewrites one item of a list that is too long for {@link rewriteResponse}.
   *
   * @param place of the list in its document
   */
  rewriteItem(item: object, schema: TSchema, operation: Operation, name: string): object;

  /** @param operation null where no route matched */
  rewriteError(error: ProblemError, document: object, operation: string | null): RewrittenError;
}
