import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { refusal } from "../refusal.ts";
import { cutOff, type Listener } from "../wire/read-body.ts";

/** Bytes that boundaries, part headers and fields may add to the files. */
export const FORM_ALLOWANCE = 1024 * 1024;

/** The bytes of a form on their way to the parser, which itself bounds files and fields but no part header. */
export class FormIntake {
  readonly stream: Readable;
  readonly #req: IncomingMessage;
  readonly #listener: Listener;
  #outside = 0;

  constructor(req: IncomingMessage, listener: Listener) {
    this.#req = req;
    this.#listener = listener;
    this.stream = Readable.from(this.#read(req), { objectMode: false, highWaterMark: 1 });
  }

  /** Of the bytes that came, so many are a file's: the parser's own limit is for them. */
  belongToFile(bytes: number): void {
    this.#outside -= bytes;
  }

  /** Lets the rest flow by, which may be something behind the last boundary: the connection's next request waits for it. */
  end(): void {
    this.stream.once("close", () => this.#req.resume()).destroy();
  }

  async *#read(req: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      // Destroying the request would take the connection with it, and the refusal could not be sent.
      for await (const chunk of req.iterator({ destroyOnReturn: false })) {
        this.#outside += chunk.length;
        this.#listener.take(chunk);
        if (this.#outside > FORM_ALLOWANCE) throw tooMuch();
        yield chunk;
      }
    } catch (error) {
      throw req.destroyed && !req.complete ? cutOff() : error;
    }
  }
}

const tooMuch = () =>
  refusal("body_too_large", `The form has more than ${FORM_ALLOWANCE} bytes outside its files.`);
