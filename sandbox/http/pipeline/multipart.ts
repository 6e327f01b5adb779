import { Buffer, isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { RequestBody } from "../../../src/contract/operations/operation.ts";
import { ByteCollector } from "../../../src/domain/byte-collector.ts";
import type { Engine } from "../../engine/engine.ts";
import type { FilePart, FormFields, MultipartBody } from "../../handlers/handler.ts";
import { type ProblemError, problemError, validationError } from "../../wire/problem-error.ts";
import { parseContentEncoding, readChunks } from "../../wire/read-body.ts";
import { captureRequestBody } from "../request-recorder.ts";
import type { Step } from "../request-state.ts";
import { type Part, parseMultipart } from "./multipart-parser.ts";

/** Bytes that boundaries, part headers and fields may add to the files. */
const MAX_BYTES_OUTSIDE_FILES = 1024 * 1024;

/** Reads a multipart form. Removes the files that no handler took, also of an unreadable form. */
export const parseMultipartBody =
  (request: RequestBody, engine: Engine): Step =>
  async (ctx, next) => {
    const encoding = parseContentEncoding(ctx.req);
    if (encoding !== "identity") {
      const detail = `A form must not have a Content-Encoding; this one has ${encoding}.`;
      throw problemError("unsupported_media_type", detail);
    }
    const { length = 0 } = ctx.request;
    if (length > engine.maxUploadBytes + MAX_BYTES_OUTSIDE_FILES)
      throw tooLarge(`The body has ${length} bytes; a file may have ${engine.maxUploadBytes}.`);
    const boundary = readParameters(ctx.get("Content-Type")).get("boundary");
    if (!boundary)
      throw createMalformedError(
        "The Content-Type names no boundary. Let the HTTP client write that header.",
      );
    const form = createFormReader(request, engine, ctx.headers["idempotency-key"] !== undefined);
    const capture = captureRequestBody(ctx);
    const observer = {
      append(chunk: Buffer) {
        capture.append(chunk);
        form.countBytes(chunk.length);
      },
    };
    try {
      await parseMultipart(readChunks(ctx.req, observer), boundary, (part) => form.receive(part));
      const content = form.body();
      capture.setFields(content.fields);
      ctx.state.body = { kind: "multipart", content };
      await next();
    } finally {
      await form.discard();
      // Reads the rest of a refused body: the connection's next request follows it.
      ctx.req.resume();
    }
  };

/** It grows while it arrives. */
type ReceivedFile = { -readonly [Name in keyof FilePart]: FilePart[Name] };

function createFormReader({ schema }: RequestBody, { maxUploadBytes, uploads }: Engine, mustHash: boolean) {
  const fields: { readonly name: string; readonly content: ByteCollector }[] = [];
  const files: ReceivedFile[] = [];
  let bytesOutsideFiles = 0;
  let fileBytes = 0;

  /** The media type that the contract asks for where the field is a file. */
  const expectedType = (field: string): string | undefined => {
    const property = schema.properties[field] as { contentMediaType?: string } | undefined;
    return property?.contentMediaType;
  };

  const receiveField = async (name: string, content: AsyncIterable<Buffer>) => {
    const field = new ByteCollector();
    fields.push({ name, content: field });
    for await (const chunk of content) field.append(chunk);
  };

  const receiveFile = async (file: ReceivedFile, content: AsyncIterable<Buffer>) => {
    const isExpected =
      file.type === expectedType(file.field) && !files.some(({ field }) => field === file.field);
    files.push(file);
    const sha256 = mustHash ? createHash("sha256") : null;
    if (isExpected) file.upload = uploads.create();
    for await (const chunk of content) {
      bytesOutsideFiles -= chunk.length;
      fileBytes += chunk.length;
      if (fileBytes > maxUploadBytes) throw tooLarge(`The file has more than ${maxUploadBytes} bytes.`);
      file.bytes += chunk.length;
      sha256?.update(chunk);
      await file.upload?.append(chunk);
    }
    await file.upload?.end();
    file.sha256 = sha256?.digest("hex") ?? null;
  };

  return {
    /** Bounds what comes before the parts, their headers and the text fields. */
    countBytes(bytes: number): void {
      bytesOutsideFiles += bytes;
      if (bytesOutsideFiles > MAX_BYTES_OUTSIDE_FILES)
        throw tooLarge(`The form has more than ${MAX_BYTES_OUTSIDE_FILES} bytes outside its files.`);
    },

    async receive({ headers, content }: Part): Promise<void> {
      const disposition = readParameters(headers["content-disposition"]?.[0] ?? "");
      const field = disposition.get("name") ?? "";
      const fileName = disposition.get("filename");
      const type = parseMediaType(headers["content-type"]?.[0] ?? "");
      checkTransferEncoding(headers);
      // RFC 7578 §4.2 goes by the file name; some clients send a file without one.
      if (fileName === undefined && type !== expectedType(field)) return receiveField(field, content);
      // Without the folders that some clients send.
      const name = fileName?.replace(/^.*[/\\]/s, "").slice(0, 255) || null;
      const file = { field, name, type: type || "text/plain", bytes: 0, sha256: null, upload: null };
      await receiveFile(file, content);
    },

    /** @throws ProblemError for a part without a name, and for a field that is not UTF-8 */
    body(): MultipartBody {
      if ([...fields.map(({ name }) => name), ...files.map(({ field }) => field)].includes(""))
        throw createMalformedError("The form has a part without a name.");
      const texts = fields.map(({ name, content }) => ({ name, bytes: content.bytes() }));
      return { fields: decodeFields(texts), files };
    },

    async discard(): Promise<void> {
      await Promise.all(files.map(({ upload }) => upload?.discard()));
    },
  };
}

function decodeFields(received: readonly { readonly name: string; readonly bytes: Buffer }[]): FormFields {
  const errors = received
    .filter(({ bytes }) => !isUtf8(bytes))
    .map(({ name }) => ({ parameter: name, code: "not_utf8", detail: `${name}: its bytes are not UTF-8.` }));
  if (errors.length > 0) throw validationError(errors);
  // In a map, because a field may be called `__proto__`.
  const fields = new Map<string, string[]>();
  for (const { name, bytes } of received) {
    const values = fields.get(name) ?? [];
    values.push(bytes.toString());
    fields.set(name, values);
  }
  return fields;
}

/** Those that change nothing (RFC 2045 §6.2): RFC 7578 §4.7 deprecates the header, but clients send it. */
function checkTransferEncoding(headers: Part["headers"]): void {
  const names = headers["content-transfer-encoding"] ?? [];
  if (names.length < 2 && names.every((name) => /^(7bit|8bit|binary)$/i.test(name.trim()))) return;
  throw createMalformedError(
    "The Content-Transfer-Encoding of a part must be 7bit, 8bit or binary (RFC 7578 §4.7). Send the bytes as they are, without the header.",
  );
}

const parseMediaType = (header: string): string => header.replace(/;.*$/s, "").trim().toLowerCase();

const tooLarge = (detail: string): ProblemError => problemError("body_too_large", detail);
const createMalformedError = (detail: string): ProblemError => problemError("malformed_request", detail);

/** A name, and a value that is quoted or not. */
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;\s]*))/g;

/** The parameters of a header by lower-case name, the first of each. @param header latin1; values are UTF-8 (RFC 7578 §5.1) */
export function readParameters(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    const value = quoted === undefined ? plain : unquote(quoted);
    if (!parameters.has(key)) parameters.set(key, Buffer.from(value, "latin1").toString());
  }
  return parameters;
}

/** Browsers and curl write a quote as `%22`, older clients as `\"`; a backslash before anything else is part of a path. */
const unquote = (text: string): string => text.replace(/\\(["\\])/g, "$1").replaceAll("%22", '"');
