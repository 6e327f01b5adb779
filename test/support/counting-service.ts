import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";

/** A response in full. */
interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or the text of a page. */
  readonly body?: unknown;
}

/** What the service does with one write. */
export interface Reaction {
  /** For the one who planned it. */
  readonly name?: string;
  /** Whether it makes a job, or finds the one of the key. Another write than a submission counts as a job too. */
  readonly executes: boolean;
  /** `job`: 202 with the job, or the response of the key. */
  readonly response: "job" | "reset" | "hang" | Response | ((jobId: string | null) => Response);
  /** It stops reading after so many bytes of the body, until `meanwhile` has ended. */
  readonly pause?: { readonly afterBytes: number; readonly meanwhile: () => Promise<unknown> };
  /** Called after it executed and before it responds. */
  readonly beforeResponse?: () => unknown;
}

export const ACCEPT: Reaction = { executes: true, response: "job" };
export const ACCEPT_AND_LOSE: Reaction = { executes: true, response: "reset" };
export const ACCEPT_AND_HANG: Reaction = { executes: true, response: "hang" };
export const ACCEPT_WITHOUT_ID: Reaction = {
  executes: true,
  response: { status: 202, body: { ok: true } },
};
/** The connection ends after the whole upload, and nothing is executed. */
export const DROP: Reaction = { executes: false, response: "reset" };

/** Responds, and executes nothing. */
export const refuse = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: unknown = { title: "no" },
): Reaction => ({ executes: false, response: { status, headers, body } });

/** Executes, and responds with something else than the job, as a proxy between does. */
export const executeAndRespond = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: unknown = { title: "no" },
): Reaction => ({ executes: true, response: { status, headers, body } });

/** A page of a proxy or a login. */
export const sendPage = (status: number, executes: boolean): Reaction => ({
  executes,
  response: {
    status,
    headers: { "content-type": "text/html" },
    body: "<!doctype html><title>Log in</title>",
  },
});

/** What makes two submissions one. */
interface Content {
  /** Hex SHA-256 of the file part. */
  readonly sha256: string;
  readonly seller: string;
  readonly protestDocs: string;
}

/** A write whose last byte arrived. */
interface Upload extends Content {
  readonly key: string | undefined;
  readonly reaction: Reaction;
}

interface CountedJob extends Content {
  readonly id: string;
  readonly key: string | undefined;
  state: string;
}

export const sha256 = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

const isSameContent = (one: Content, other: Content): boolean =>
  one.sha256 === other.sha256 && one.seller === other.seller && one.protestDocs === other.protestDocs;

const CRLF = "\r\n";

/** A service that counts the jobs of each content. It has no code of this project, and speaks HTTP/1.1 over plain sockets. */
export class CountingService {
  readonly keepsKeys: boolean;
  /** Complete uploads in the order of their last bytes. */
  readonly uploads: Upload[] = [];
  readonly jobs: CountedJob[] = [];
  /** Writes of which at least the head arrived. */
  begunUploads = 0;
  /** What comes next, in order; then each write is accepted. */
  readonly reactions: Reaction[] = [];
  readonly #jobOfKey = new Map<string, CountedJob>();
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  private constructor(keepsKeys: boolean) {
    this.keepsKeys = keepsKeys;
  }

  static async start({ keepsKeys = false } = {}): Promise<CountingService> {
    const service = new CountingService(keepsKeys);
    await service.listen();
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, again at the same port after {@link close}. */
  async listen(): Promise<void> {
    const server = createServer({ noDelay: true }, (socket) => this.#serve(socket));
    await new Promise<void>((resolve, reject) =>
      server.once("error", reject).listen(this.#port, "127.0.0.1", resolve),
    );
    this.#server = server;
    this.#port = (server.address() as { port: number }).port;
  }

  /** Refuses connections from now on, and resets those that are open. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  react(...reactions: Reaction[]): void {
    this.reactions.push(...reactions);
  }

  /** The jobs of a file, for every seller. */
  jobsOf(bytes: string | Uint8Array): readonly CountedJob[] {
    const hash = sha256(bytes);
    return this.jobs.filter((job) => job.sha256 === hash);
  }

  /** As a service does a day after it executed them. */
  forgetKeys(): void {
    this.#jobOfKey.clear();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    // A client that was killed resets its connections.
    socket.on("error", () => {});
    this.#readRequests(socket).catch(() => socket.destroy());
  }

  async #readRequests(socket: Socket): Promise<void> {
    const reader = new SocketReader(socket);
    for (;;) {
      const head = await reader.readHead();
      if (head === null) return;
      if (head.method === "POST") {
        await this.#receive(reader, head, socket);
        continue;
      }
      await reader.readBody(head);
      write(socket, this.#read(head));
    }
  }

  async #receive(reader: SocketReader, head: Head, socket: Socket): Promise<void> {
    this.begunUploads += 1;
    const reaction = this.reactions.shift() ?? ACCEPT;
    const body = await reader.readBody(head, reaction.pause);
    if (body === null) return;
    const form = parseForm(head, body);
    const key = head.headers["idempotency-key"];
    const job = reaction.executes ? this.#execute(form, key) : null;
    const jobId = job === "reused" ? null : (job?.id ?? null);
    this.uploads.push({ ...form, key, reaction });
    await reaction.beforeResponse?.();
    const { response } = reaction;
    if (response === "hang") return;
    if (response === "reset") return void socket.resetAndDestroy();
    if (typeof response === "function") return write(socket, response(jobId));
    if (response !== "job") return write(socket, response);
    if (job === "reused") return write(socket, KEY_REUSED);
    const location = `/v1/diligence/status/${job?.id}`;
    write(socket, { status: 202, headers: { location }, body: { jobId: job?.id, state: "queued" } });
  }

  #execute(content: Content, key: string | undefined): CountedJob | "reused" {
    const known = this.keepsKeys && key !== undefined ? this.#jobOfKey.get(key) : undefined;
    if (known) return isSameContent(known, content) ? known : "reused";
    const id = `00000000-0000-4000-8000-${String(this.jobs.length + 1).padStart(12, "0")}`;
    const { sha256, seller, protestDocs } = content;
    const job = { id, key, sha256, seller, protestDocs, state: "completed" };
    this.jobs.push(job);
    if (key !== undefined) this.#jobOfKey.set(key, job);
    return job;
  }

  #read({ method, path }: Head): Response {
    if (method === "GET" && path === "/v1/docs/openapi") return { status: 200, body: this.#contract() };
    const [, resource, id] = /^\/v1\/diligence\/(status|report)\/([^/]+)$/.exec(path) ?? [];
    const job = this.jobs.find((each) => each.id === id);
    if (method !== "GET" || !job) return { status: 404, body: { title: "not found" } };
    const { state } = job;
    if (resource === "status") return { status: 200, body: { jobId: id, state } };
    return { status: 200, body: { jobId: id, rf8Review: { outcome: "clear" } } };
  }

  #contract() {
    const parameters = this.keepsKeys
      ? [{ name: "Idempotency-Key", in: "header", required: false, schema: { type: "string" } }]
      : [];
    const submit = { parameters, responses: { 202: { description: "Accepted" } } };
    const info = { title: "A counting service", version: "1" };
    return { openapi: "3.1.0", info, paths: { "/v1/diligence/submit": { post: submit } } };
  }
}

const KEY_REUSED: Response = {
  status: 422,
  headers: { "content-type": "application/problem+json" },
  body: { code: "idempotency_key_reused", title: "The key belongs to other content" },
};

function write(socket: Socket, { status, headers = {}, body = "" }: Response): void {
  // These have no content (RFC 9110 §15.3.5, §15.4.5).
  const isEmpty = status === 204 || status === 304;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const content = Buffer.from(isEmpty ? "" : text);
  const all: Record<string, string> = { ...headers };
  if (!isEmpty) {
    all["content-type"] ??= "application/json";
    all["content-length"] = String(content.length);
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} Status`, ...lines, "", ""].join(CRLF);
  socket.write(Buffer.concat([Buffer.from(head, "latin1"), content]));
}

interface Head {
  readonly method: string;
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the requests of one connection. Reads resolve to null when it ends. */
class SocketReader {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #hasEnded = false;
  #wake = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    const end = () => {
      this.#hasEnded = true;
      this.#wake();
    };
    socket.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    socket.on("end", end).on("close", end);
  }

  async readHead(): Promise<Head | null> {
    for (;;) {
      const end = this.#joined().indexOf("\r\n\r\n");
      if (end < 0) {
        if (!(await this.#waitForMore())) return null;
        continue;
      }
      const [line = "", ...lines] = this.#take(end).toString("latin1").split(CRLF);
      this.#take(4);
      const [method = "", path = ""] = line.split(" ");
      const headers: Record<string, string> = {};
      for (const text of lines) {
        const colon = text.indexOf(":");
        headers[text.slice(0, colon).toLowerCase()] = text.slice(colon + 1).trim();
      }
      return { method, path, headers };
    }
  }

  async readBody({ headers }: Head, pause?: Reaction["pause"]): Promise<Buffer | null> {
    const length = Number(headers["content-length"] ?? 0);
    const isChunked = headers["transfer-encoding"] === "chunked";
    if (pause) {
      const { afterBytes } = pause;
      if (!(await this.#waitFor(isChunked ? afterBytes : Math.min(afterBytes, length)))) return null;
      this.#socket.pause();
      await pause.meanwhile();
      this.#socket.resume();
    }
    if (isChunked) return this.#readChunked();
    return (await this.#waitFor(length)) ? this.#take(length) : null;
  }

  async #readChunked(): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    for (;;) {
      const lineEnd = this.#joined().indexOf(CRLF);
      if (lineEnd < 0) {
        if (!(await this.#waitForMore())) return null;
        continue;
      }
      const size = Number.parseInt(this.#take(lineEnd).toString("latin1"), 16);
      this.#take(2);
      if (!(await this.#waitFor(size + 2))) return null;
      parts.push(this.#take(size));
      this.#take(2);
      if (size === 0) return Buffer.concat(parts);
    }
  }

  async #waitFor(bytes: number): Promise<boolean> {
    while (this.#length < bytes) if (!(await this.#waitForMore())) return false;
    return true;
  }

  async #waitForMore(): Promise<boolean> {
    if (this.#hasEnded) return false;
    const length = this.#length;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    return this.#length > length;
  }

  #joined(): Buffer {
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #take(bytes: number): Buffer {
    const joined = this.#joined();
    const taken = joined.subarray(0, bytes);
    this.#chunks = [joined.subarray(bytes)];
    this.#length -= bytes;
    return taken;
  }
}

/** Reads multipart/form-data (RFC 7578). Another body is the file. */
function parseForm({ headers }: Head, body: Buffer): Content {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;]+))/.exec(headers["content-type"] ?? "") ?? [];
  if ((quoted ?? plain) === undefined) return { sha256: sha256(body), seller: "", protestDocs: "" };
  const delimiter = Buffer.from(`\r\n--${quoted ?? plain}`, "latin1");
  const text = Buffer.concat([Buffer.from(CRLF), body]);
  const fields: Record<string, string> = {};
  let file = Buffer.alloc(0);
  let start = text.indexOf(delimiter);
  for (;;) {
    const end = text.indexOf(delimiter, start + delimiter.length);
    if (start < 0 || end < 0) break;
    const part = text.subarray(start + delimiter.length, end);
    const headEnd = part.indexOf("\r\n\r\n");
    const head = part.subarray(0, headEnd).toString("utf8");
    const content = part.subarray(headEnd + 4);
    const [, name = ""] = /[; ]name="([^"]*)"/.exec(head) ?? [];
    if (head.includes("filename=")) file = Buffer.from(content);
    else fields[name] = content.toString("utf8");
    start = end;
  }
  return {
    sha256: sha256(file),
    seller: fields.seller_name ?? "",
    protestDocs: fields.requires_protest_documentation ?? "",
  };
}
