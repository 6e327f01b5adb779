import { createLearner } from "../../../../contract/observed/learner.ts";
import { getContract } from "../../../../contract/openapi.ts";
import { ClaimsError, usageError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import { addToObservedFile, readObservedFile } from "../../contract/learn/observed-file.ts";
import type { IncomingDelivery } from "./delivery.ts";

export type Observer = Awaited<ReturnType<typeof openObserver>>;

/**
 * Adds the form of deliveries to a file of `claims contract learn`. Deliveries that arrive during a write share the next one.
 *
 * @throws ClaimsError `invalid_observed_service`
 */
export async function openObserver(context: Context, path: string) {
  await readObservedFile(context, path);
  const { hash } = getContract();
  // Also after Ctrl-C: the deliveries were accepted.
  const uninterrupted = { ...context, signal: new AbortController().signal };
  let learner = createLearner();
  let isWaiting = false;
  let lastWrite: Promise<void> = Promise.resolve();
  let failure: ClaimsError | undefined;

  async function write(): Promise<void> {
    const learned = learner.finish(hash);
    learner = createLearner();
    isWaiting = false;
    try {
      await addToObservedFile(uninterrupted, path, learned);
    } catch (error) {
      if (!(error instanceof ClaimsError)) throw error;
      // A file that cannot be written does not stop the listener.
      if (!failure) printMessage(context, `warning: ${error.message}; deliveries are still accepted`);
      failure ??= usageError("cannot_record", `some deliveries are not in ${path}: ${error.message}`, {
        hint: "make the file writable, and send the events again",
        cause: error,
      });
    }
  }

  return {
    /** Resolves when the file has the form of the delivery. */
    add({ headers, body, at }: IncomingDelivery): Promise<void> {
      learner.addDelivery(headers, body.toString("utf8"), at);
      if (!isWaiting) lastWrite = lastWrite.then(write);
      isWaiting = true;
      return lastWrite;
    },
    /** The error that ends the command if anything is missing. */
    toError: () => failure,
  };
}
