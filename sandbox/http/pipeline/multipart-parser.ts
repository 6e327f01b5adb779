import type { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import { problemError } from "../../wire/problem-error.ts";

export interface Part {
  /** By lower-case name; one character per byte. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly content: Readable;
}

/** RFC 2046 §5.1.1. */
const MAX_BOUNDARY_LENGTH = 70;

/**
 * Passes every part of a multipart body to `receive`, which reads its content. Resolves when the closing boundary has
 * arrived and every part is received; the first failure ends everything.
 *
 * @throws ProblemError `malformed_request`, and the errors of `chunks` and `receive`
 */
export async function parseMultipart(
  chunks: AsyncIterable<Buffer>,
  boundary: string,
  receive: (part: Part) => Promise<void>,
): Promise<void> {
  if (boundary.length > MAX_BOUNDARY_LENGTH) {
    const detail = `The boundary in the Content-Type has more than ${MAX_BOUNDARY_LENGTH} characters.`;
    throw problemError("malformed_request", detail);
  }
  // Lazy, because most sandboxes get no form.
  const { Dicer } = await import("@fastify/busboy");
  const parser = new Dicer({ boundary });
  const receivedParts = new Map<Readable, Promise<void>>();
  let partsWithoutHeaders = 0;
  let isFinished = false;
  let failure = null as { readonly error: unknown } | null;
  let wake = () => {};

  const fail = (error: unknown): void => {
    failure ??= { error };
    wake();
  };
  const throwFailure = (): void => {
    if (failure) throw failure.error;
  };
  /** Waits for `done`, for a failure, or for the end of the form, after which the parser does not call `done`. */
  const waitFor = async (begin: (done: () => void) => void): Promise<void> => {
    if (isFinished) return;
    throwFailure();
    await new Promise<void>((resolve) => {
      wake = resolve;
      begin(resolve);
    });
    throwFailure();
  };

  parser.on("part", (content) => {
    partsWithoutHeaders += 1;
    // A part repeats the error of the parser, which would be unhandled.
    content.on("error", () => undefined);
    content.once("header", (headers: Part["headers"]) => {
      partsWithoutHeaders -= 1;
      receivedParts.set(content, receive({ headers, content }).catch(fail));
    });
  });
  parser.on("error", () => fail(createTruncationError()));
  parser.on("finish", () => {
    isFinished = true;
    wake();
  });
  try {
    // One chunk at a time: an error that the parser throws by itself would be unhandled. Ignores what follows the end.
    for await (const chunk of chunks) await waitFor((done) => parser.write(chunk, done));
    await waitFor(() => parser.end());
    await Promise.all(receivedParts.values());
    throwFailure();
    if (partsWithoutHeaders > 0) throw createTruncationError();
  } finally {
    // Ends the parts that are still being received.
    for (const content of receivedParts.keys()) content.destroy();
    await Promise.all(receivedParts.values());
  }
}

const createTruncationError = () =>
  problemError(
    "malformed_request",
    "The form is malformed or truncated: no closing boundary where one belongs.",
  );
