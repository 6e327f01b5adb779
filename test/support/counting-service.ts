import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

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
export const ACCEPT_WITHOUT_ID: Reaction = { executes: true, response: { status: 202, body: { ok: true } } };
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

/** A service that counts the jobs of each content. It has no code of this project. */
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
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      // A client that was killed resets its connections.
      this.#serve(request, response).catch(() => request.socket.destroy());
    });
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) =>
      server.once("error", reject).listen(this.#port, "127.0.0.1", resolve),
    );
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
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

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "POST") return this.#receive(request, response);
    request.resume();
    write(response, this.#read(request));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.begunUploads += 1;
    const reaction = this.reactions.shift() ?? ACCEPT;
    const form = parseForm(request, await readBody(request, reaction.pause));
    const key = request.headers["idempotency-key"] as string | undefined;
    const job = reaction.executes ? this.#execute(form, key) : null;
    const jobId = job === "reused" ? null : (job?.id ?? null);
    this.uploads.push({ ...form, key, reaction });
    await reaction.beforeResponse?.();
    const { response: chosen } = reaction;
    if (chosen === "hang") return;
    if (chosen === "reset") return void request.socket.resetAndDestroy();
    if (typeof chosen === "function") return write(response, chosen(jobId));
    if (chosen !== "job") return write(response, chosen);
    if (job === "reused") return write(response, KEY_REUSED);
    const location = `/v1/diligence/status/${job?.id}`;
    write(response, { status: 202, headers: { location }, body: { jobId: job?.id, state: "queued" } });
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

  #read({ method, url = "" }: IncomingMessage): Response {
    if (method === "GET" && url === "/v1/docs/openapi") return { status: 200, body: this.#contract() };
    const [, resource, id] = /^\/v1\/diligence\/(status|report)\/([^/]+)$/.exec(url) ?? [];
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

function write(response: ServerResponse, { status, headers = {}, body = "" }: Response): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  // These have no content (RFC 9110 §15.3.5, §15.4.5).
  const isEmpty = status === 204 || status === 304;
  const content = isEmpty
    ? {}
    : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  response.sendDate = false;
  response.writeHead(status, { ...content, ...headers }).end(text);
}

/** @throws Error if the connection ends before the body */
async function readBody(request: IncomingMessage, pause: Reaction["pause"]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let isDue = pause !== undefined;
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (!isDue || length < (pause?.afterBytes ?? 0)) continue;
    isDue = false;
    await pause?.meanwhile();
  }
  if (isDue) await pause?.meanwhile();
  return Buffer.concat(chunks);
}

/** Reads multipart/form-data (RFC 7578). Another body is the file. */
function parseForm({ headers }: IncomingMessage, body: Buffer): Content {
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
