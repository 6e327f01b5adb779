import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Context } from "koa";
import type { RequestBody } from "../../../src/contract/operation.ts";
import type { FieldError } from "../../../src/contract/problems.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Upload } from "../../engine/uploads.ts";
import type { FilePart, FormFields, MultipartBody } from "../../handlers/handler.ts";
import { type ProblemError, problemError, validationError } from "../../wire/problem-error.ts";
import { parseContentEncoding, readChunks } from "../../wire/read-body.ts";
import { requestBodyCapture } from "../request-recorder.ts";
import { readParameters } from "./header-parameters.ts";
import { type Part, parseMultipart } from "./multipart-parser.ts";
import { decodeTransfer, EncodingError, TRANSFER_ENCODINGS } from "./transfer-encoding.ts";

/** Of one form: how many text fields, how many bytes in all of them together, and how many files. */
const MAX_FIELDS = 1_000;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FILES = 100;

/** Bytes that boundaries, part headers and fields may add to the files. */
const MAX_BYTES_OUTSIDE_FILES = 1024 * 1024;

interface FormOptions {
  readonly request: RequestBody;
  readonly engine: Engine;
  /** Whether files are hashed. */
  readonly hash: boolean;
}

/**
 * Reads a multipart form; a file goes to a temporary file as it arrives. Whatever of it no handler took is removed
 * when `use` is done, and also when the form turns out to be unreadable.
 */
export async function withMultipart<T>(
  ctx: Context,
  request: RequestBody,
  engine: Engine,
  { hash }: { readonly hash: boolean },
  use: (body: MultipartBody) => Promise<T>,
): Promise<T> {
  requireNoContentEncoding(ctx);
  requireSizeWithinLimit(ctx, engine.maxUploadBytes);
  const boundary = readParameters(ctx.get("Content-Type")).get("boundary");
  if (!boundary)
    throw malformed("The Content-Type names no boundary. Let the HTTP client write that header.");
  const form = new FormReader({ request, engine, hash });
  try {
    await parseMultipart(form.limitBytesOutsideFiles(captureChunks(ctx)), boundary, (part) =>
      form.receive(part),
    );
    const body = form.body();
    requestBodyCapture(ctx).setFields(body.fields);
    return await use(body);
  } finally {
    await form.discard();
    // What follows a fault must flow by: the connection's next request waits for it.
    ctx.req.resume();
  }
}

function requireNoContentEncoding({ req }: Context): void {
  const encoding = parseContentEncoding(req);
  if (encoding === "identity") return;
  throw problemError(
    "unsupported_media_type",
    `A form is sent as it is, without Content-Encoding ${encoding}.`,
  );
}

/** Where the caller announces the size, nothing needs to be received to refuse it. */
function requireSizeWithinLimit(ctx: Context, limit: number): void {
  if ((ctx.request.length ?? 0) <= limit + MAX_BYTES_OUTSIDE_FILES) return;
  throw tooLarge(`The body has ${ctx.request.length} bytes; a file may have ${limit}.`);
}

async function* captureChunks(ctx: Context): AsyncGenerator<Buffer> {
  const listener = requestBodyCapture(ctx);
  for await (const chunk of readChunks(ctx.req)) {
    listener.append(chunk);
    yield chunk;
  }
}

/** What has arrived of a form, held against its limits. Those of size are for the bytes as they are sent. */
class FormReader {
  readonly #options: FormOptions;
  readonly #fields: { readonly name: string; readonly chunks: Buffer[] }[] = [];
  readonly #files: ReceivedFile[] = [];
  #bytesOutsideFiles = 0;
  #fieldBytes = 0;
  #fileBytes = 0;
  #hasNamelessPart = false;

  constructor(options: FormOptions) {
    this.#options = options;
  }

  /** The parser itself bounds neither what comes before the parts nor their headers. */
  async *limitBytesOutsideFiles(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#bytesOutsideFiles += chunk.length;
      if (this.#bytesOutsideFiles > MAX_BYTES_OUTSIDE_FILES)
        throw tooLarge(`The form has more than ${MAX_BYTES_OUTSIDE_FILES} bytes outside its files.`);
      yield chunk;
    }
  }

  async receive({ headers, content }: Part): Promise<void> {
    const disposition = readParameters(headers["content-disposition"]?.[0] ?? "");
    const field = disposition.get("name") ?? "";
    const fileName = disposition.get("filename");
    const type = parseMediaType(headers["content-type"]?.[0] ?? "");
    if (field === "") this.#hasNamelessPart = true;
    try {
      // RFC 7578 §4.2 goes by the file name; some clients send a file without one.
      if (fileName === undefined && type !== this.#expectedType(field)) {
        await this.#receiveField(field, content, readEncoding(headers));
      } else {
        const file = { field, name: fileName ?? null, type: type || "text/plain" };
        await this.#receiveFile(file, content, readEncoding(headers));
      }
    } catch (error) {
      if (error instanceof EncodingError)
        throw malformed(
          `The part ${field} ${error.message}, which its Content-Transfer-Encoding says it is.`,
        );
      throw error;
    }
  }

  /** @throws Refusal for fields without a name, and for what is not UTF-8 */
  body(): MultipartBody {
    if (this.#hasNamelessPart) throw malformed("The form has a part without a name.");
    return { fields: this.#decodedFields(), files: this.#files.map(toFilePart) };
  }

  /** Removes what no handler took. */
  async discard(): Promise<void> {
    await Promise.all(this.#files.map(({ upload }) => upload?.discard()));
  }

  async #receiveField(name: string, content: AsyncIterable<Buffer>, encoding: string): Promise<void> {
    const chunks: Buffer[] = [];
    this.#fields.push({ name, chunks });
    if (this.#fields.length > MAX_FIELDS) throw tooLarge(`The form has more than ${MAX_FIELDS} text fields.`);
    const counted = measureChunks(content, (bytes) => {
      this.#fieldBytes += bytes;
      if (this.#fieldBytes > MAX_FIELD_BYTES)
        throw tooLarge(`The text fields have more than ${MAX_FIELD_BYTES} bytes.`);
    });
    for await (const chunk of decodeTransfer(counted, encoding)) chunks.push(chunk);
  }

  async #receiveFile(
    about: Pick<ReceivedFile, "field" | "name" | "type">,
    content: AsyncIterable<Buffer>,
    encoding: string,
  ): Promise<void> {
    const { engine, hash } = this.#options;
    const isWanted =
      about.type === this.#expectedType(about.field) &&
      !this.#files.some(({ field }) => field === about.field);
    const file: ReceivedFile = { ...about, bytes: 0, sha256: null, upload: null };
    this.#files.push(file);
    if (this.#files.length > MAX_FILES) throw tooLarge(`The form has more than ${MAX_FILES} files.`);
    const sha256 = hash ? createHash("sha256") : null;
    const counted = measureChunks(content, (bytes) => {
      this.#bytesOutsideFiles -= bytes;
      this.#fileBytes += bytes;
      if (this.#fileBytes > engine.maxUploadBytes)
        throw tooLarge(`The file has more than ${engine.maxUploadBytes} bytes.`);
    });
    const decoded = measureChunks(decodeTransfer(counted, encoding), (bytes, chunk) => {
      file.bytes += bytes;
      sha256?.update(chunk);
    });
    if (isWanted) file.upload = await engine.uploads.create();
    await (file.upload ? file.upload.write(decoded) : drain(decoded));
    file.sha256 = sha256?.digest("hex") ?? null;
  }

  /** The media type that the contract wants of a field that is a file. */
  #expectedType(field: string): string | undefined {
    const property = this.#options.request.schema.properties[field] as { contentMediaType?: string };
    return property?.contentMediaType;
  }

  /** A map also keeps a field that is called `__proto__`. */
  #decodedFields(): FormFields {
    const fields = new Map<string, string[]>();
    const errors: FieldError[] = [];
    for (const { name, chunks } of this.#fields) {
      const value = decodeUtf8(Buffer.concat(chunks));
      if (value === null) errors.push(notUtf8(name));
      else fields.set(name, [...(fields.get(name) ?? []), value]);
    }
    if (errors.length > 0) throw validationError(errors);
    return fields;
  }
}

interface ReceivedFile {
  readonly field: string;
  readonly name: string | null;
  readonly type: string;
  bytes: number;
  sha256: string | null;
  upload: Upload | null;
}

/** RFC 7578 §4.7 deprecates the header, RFC 2045 §6 says what it means. */
function readEncoding(headers: Part["headers"]): string {
  const [encoding = "binary", ...more] = headers["content-transfer-encoding"] ?? [];
  const name = encoding.trim().toLowerCase();
  if (TRANSFER_ENCODINGS.includes(name) && more.length === 0) return name;
  throw malformed(`The Content-Transfer-Encoding of a part must be one of ${TRANSFER_ENCODINGS.join(", ")}.`);
}

async function* measureChunks(
  chunks: AsyncIterable<Buffer>,
  measure: (bytes: number, chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    measure(chunk.length, chunk);
    yield chunk;
  }
}

async function drain(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const _chunk of chunks);
}

const notUtf8 = (parameter: string): FieldError => ({
  parameter,
  code: "not_utf8",
  detail: `${parameter}: its bytes are not UTF-8.`,
});

function decodeUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const parseMediaType = (header: string): string => header.replace(/;.*$/s, "").trim().toLowerCase();

function toFilePart({ name, ...file }: ReceivedFile): FilePart {
  return { ...file, name: name?.replace(/^.*[/\\]/s, "").slice(0, 255) || null };
}

const tooLarge = (detail: string): ProblemError => problemError("body_too_large", detail);
const malformed = (detail: string): ProblemError => problemError("malformed_request", detail);
