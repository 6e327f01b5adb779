import type { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import type { Dicer } from "@fastify/busboy";
import { problemError } from "../../wire/problem-error.ts";

/** A part of a multipart body as it arrives. */
export interface Part {
  /** By their names in lower case; one character for each byte. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly content: Readable;
}

/** RFC 2046 §5.1.1. */
const MAX_BOUNDARY_LENGTH = 70;

/**
 * Hands every part of a multipart body to `receive`, which reads its content. Resolves when the closing boundary has
 * come and every part is received; the first failure ends all of it.
 *
 * @throws Refusal `malformed_request`; what `chunks` and `receive` throw
 */
export async function parseMultipart(
  chunks: AsyncIterable<Buffer>,
  boundary: string,
  receive: (part: Part) => Promise<void>,
): Promise<void> {
  if (boundary.length > MAX_BOUNDARY_LENGTH) throw boundaryTooLong();
  // Loaded with the first form: most sandboxes get none.
  const { Dicer } = await import("@fastify/busboy");
  const parsing = new MultipartParse(new Dicer({ boundary }), receive);
  try {
    // One chunk at a time: the parser must not go on by itself, where what it throws would reach nobody.
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
  /** Ends the present wait. */
  #wake: () => void = () => {};

  constructor(parser: Dicer, receive: (part: Part) => Promise<void>) {
    this.#parser = parser;
    this.#receive = receive;
    parser
      .on("part", (content) => this.#beginPart(content))
      .on("finish", () => this.#finish())
      .on("error", () => this.#fail(formTruncated()));
  }

  /** Resolves when the parser has room for more. What follows the closing boundary is no part of the form. */
  async write(chunk: Buffer): Promise<void> {
    if (!this.#isFinished) await this.#waitFor((done) => this.#parser.write(chunk, done));
  }

  /** The parser finishes when the closing boundary has come and the parts are read. */
  async end(): Promise<void> {
    if (!this.#isFinished) await this.#waitFor(() => this.#parser.end());
    await Promise.all(this.#receivedParts.values());
    this.#throwFailure();
    if (this.#partsWithoutHeaders > 0) throw formTruncated();
  }

  /** Makes those give up that still receive a part; resolves when they have. */
  async abort(): Promise<void> {
    for (const content of this.#receivedParts.keys()) content.destroy();
    await Promise.all(this.#receivedParts.values());
  }

  #beginPart(content: Readable): void {
    this.#partsWithoutHeaders += 1;
    // A part repeats the error of the parser; nobody might be listening.
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

  /** Waits for `done`, for the end of the form, after which the parser does not call it, or for a failure. */
  async #waitFor(begin: (done: () => void) => void): Promise<void> {
    this.#throwFailure();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      begin(resolve);
    });
    this.#throwFailure();
  }
}

const formTruncated = () =>
  problemError(
    "malformed_request",
    "The form is broken or cut short: no closing boundary came where one belongs.",
  );

const boundaryTooLong = () =>
  problemError(
    "malformed_request",
    `The boundary in the Content-Type has more than ${MAX_BOUNDARY_LENGTH} characters.`,
  );
