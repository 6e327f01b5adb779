import type { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import type { Dicer } from "@fastify/busboy";
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
  const parsing = new MultipartParse(new Dicer({ boundary }), receive);
  try {
    // One chunk at a time: an error that the parser throws by itself would be unhandled.
    for await (const chunk of chunks) await parsing.write(chunk);
    await parsing.end();
  } finally {
    await parsing.abort();
  }
}

class MultipartParse {
  readonly #parser: Dicer;
  readonly #receive: (part: Part) => Promise<void>;
  readonly #receivedParts = new Map<Readable, Promise<void>>();
  #partsWithoutHeaders = 0;
  #isFinished = false;
  #failure: { readonly error: unknown } | null = null;
  #wake: () => void = () => {};

  constructor(parser: Dicer, receive: (part: Part) => Promise<void>) {
    this.#parser = parser;
    this.#receive = receive;
    parser
      .on("part", (content) => this.#beginPart(content))
      .on("finish", () => this.#finish())
      .on("error", () => this.#fail(createTruncationError()));
  }

  /** Resolves when the parser has room for more. Ignores what follows the closing boundary. */
  async write(chunk: Buffer): Promise<void> {
    if (!this.#isFinished) await this.#waitFor((done) => this.#parser.write(chunk, done));
  }

  /** The parser finishes when the closing boundary has arrived and the parts are read. */
  async end(): Promise<void> {
    if (!this.#isFinished) await this.#waitFor(() => this.#parser.end());
    await Promise.all(this.#receivedParts.values());
    this.#throwFailure();
    if (this.#partsWithoutHeaders > 0) throw createTruncationError();
  }

  /** Ends the parts that are still being received; resolves when they have ended. */
  async abort(): Promise<void> {
    for (const content of this.#receivedParts.keys()) content.destroy();
    await Promise.all(this.#receivedParts.values());
  }

  #beginPart(content: Readable): void {
    this.#partsWithoutHeaders += 1;
    // A part repeats the error of the parser, which would be unhandled.
    content.on("error", () => undefined);
    content.once("header", (headers: Part["headers"]) => {
      this.#partsWithoutHeaders -= 1;
      const received = this.#receive({ headers, content }).catch((error) => this.#fail(error));
      this.#receivedParts.set(content, received);
    });
  }

  #finish(): void {
    this.#isFinished = true;
    this.#wake();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Waits for `done`, for a failure, or for the end of the form, after which the parser does not call `done`. */
  async #waitFor(begin: (done: () => void) => void): Promise<void> {
    this.#throwFailure();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      begin(resolve);
    });
    this.#throwFailure();
  }
}

const createTruncationError = () =>
  problemError(
    "malformed_request",
    "The form is malformed or truncated: no closing boundary where one belongs.",
  );
