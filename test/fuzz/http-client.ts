import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";

export interface RawResponse {
  readonly status: number;
  /** Names in lower case; repeated headers are joined. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

interface ExchangeOptions {
  readonly isHead?: boolean;
  readonly timeoutMs?: number;
  /** Bytes. */
  readonly firstChunk?: number;
}

/** The bytes of a request to this machine. @param body null for a request without one */
export function encodeRequest(
  method: string,
  target: string,
  headers: readonly (readonly [string, string])[] = [],
  body: Uint8Array | string | null = null,
): Buffer {
  const content = Buffer.from(body ?? "");
  const length = body === null ? [] : [["Content-Length", String(content.length)]];
  const all = [["Host", "127.0.0.1"], ...headers, ...length];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`, "latin1"), content]);
}

/** A response that is not HTTP/1.1, or not complete when its connection ends. */
class MalformedResponse extends Error {
  override readonly name = "MalformedResponse";
}

/** A response whose end has not arrived. */
const INCOMPLETE = Symbol("incomplete");

/** A connection that writes bytes as they are, and reads responses strictly: a client of a package would correct both. */
export class RawConnection {
  readonly #port: number;
  #socket: Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #wake = () => {};
  #hasEnded = false;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends one request, in one chunk or in two, and reads its response.
   *
   * @returns null if the response has not ended after `timeoutMs`, as of a request that waits; the connection is then closed
   */
  async exchange(
    request: Buffer,
    { isHead = false, timeoutMs = 60_000, firstChunk = request.length }: ExchangeOptions = {},
  ): Promise<RawResponse | null> {
    // A server may close an idle connection at any time: only a new one shows that it did not respond.
    for (const isReused of this.#socket ? [true, false] : [false]) {
      const socket = await this.#open();
      socket.write(request.subarray(0, firstChunk));
      if (firstChunk < request.length) {
        await setImmediate();
        socket.write(request.subarray(firstChunk));
      }
      const response = await this.#read(isHead, timeoutMs).catch((error: unknown) => {
        // The next request must not read the rest of a damaged response.
        this.close();
        throw error;
      });
      if (response === INCOMPLETE) {
        this.close();
        return null;
      }
      if (response) return response;
      if (!isReused) throw new MalformedResponse("the connection ended without a response");
    }
    return null;
  }

  /** Sends bytes in chunks, ends the connection's sending side, and reads every response. */
  async sendAll(chunks: readonly Buffer[], isHead = false): Promise<RawResponse[]> {
    this.close();
    const socket = await this.#open();
    for (const chunk of chunks) {
      if (this.#hasEnded || !socket.writable) break;
      socket.write(chunk);
      if (chunks.length > 1) await setImmediate();
    }
    socket.end();
    if (!this.#hasEnded) await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    const responses: RawResponse[] = [];
    while (this.#received.length > 0) {
      const response = this.#take(isHead);
      // 100 Continue alone: Node gives no response to a caller that ended its side before the response was ready.
      if (!response && this.#received.length === 0) break;
      if (!response)
        throw new MalformedResponse(`an incomplete response: ${this.#received.toString("latin1")}`);
      responses.push(response);
    }
    this.close();
    return responses;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  async #open(): Promise<Socket> {
    if (this.#socket && !this.#hasEnded) return this.#socket;
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    this.#hasEnded = false;
    socket.on("data", (chunk: Buffer) => {
      if (this.#socket !== socket) return;
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    // A reset ends the connection as an end does: what has arrived decides.
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#hasEnded = true;
      this.#wake();
    });
    await once(socket, "connect");
    return socket;
  }

  async #read(isHead: boolean, timeoutMs: number): Promise<RawResponse | null | typeof INCOMPLETE> {
    let hasTimedOut = false;
    const timer = setTimeout(() => {
      hasTimedOut = true;
      this.#wake();
    }, timeoutMs);
    try {
      for (;;) {
        const response = this.#take(isHead);
        if (response?.headers.get("connection") === "close") this.close();
        if (response) return response;
        if (hasTimedOut) return INCOMPLETE;
        if (this.#hasEnded) {
          if (this.#received.length === 0) return null;
          throw new MalformedResponse(`an incomplete response: ${this.#received.toString("latin1")}`);
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Takes the first response off what was received; null if it is incomplete. */
  #take(isHead: boolean): RawResponse | null {
    const parsed = parseResponse(this.#received, isHead, this.#hasEnded);
    if (!parsed) return null;
    this.#received = this.#received.subarray(parsed.length);
    // 100 Continue comes before the response.
    return parsed.response.status >= 200 ? parsed.response : this.#take(isHead);
  }
}

function parseResponse(bytes: Buffer, isHead: boolean, hasEnded: boolean) {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const [, code] = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(statusLine) ?? [];
  if (code === undefined) throw new MalformedResponse(`the status line ${JSON.stringify(statusLine)}`);
  const status = Number(code);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ""] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
    if (name === undefined) throw new MalformedResponse(`the header line ${JSON.stringify(line)}`);
    const known = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`);
  }
  const start = headEnd + 4;
  const finish = (body: Buffer, length: number) => ({ response: { status, headers, body }, length });
  if (isHead || status < 200 || status === 204 || status === 304) return finish(Buffer.alloc(0), start);
  if (headers.get("transfer-encoding") === "chunked") {
    const body = readChunks(bytes, start);
    return body && finish(body.content, body.end);
  }
  const length = headers.get("content-length");
  if (length !== undefined) {
    if (!/^\d+$/.test(length)) throw new MalformedResponse(`Content-Length ${length}`);
    const end = start + Number(length);
    return bytes.length < end ? null : finish(bytes.subarray(start, end), end);
  }
  return hasEnded ? finish(bytes.subarray(start), bytes.length) : null;
}

function readChunks(bytes: Buffer, from: number): { content: Buffer; end: number } | null {
  const parts: Buffer[] = [];
  let at = from;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) throw new MalformedResponse("the size of a chunk");
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return null;
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
    if (size === 0) return { content: Buffer.concat(parts), end: at };
  }
}
