import { Writable } from "node:stream";
import type { Context } from "koa";
import type { RequestBody } from "../../src/contract/operation.ts";
import type { Engine } from "../engine/engine.ts";
import type { Upload } from "../engine/uploads.ts";
import type { FilePart, MultipartBody } from "../handlers/handler.ts";
import { refusal } from "../refusal.ts";
import { parseBody } from "./parse-body.ts";

const MAX_FIELD_BYTES = 64 * 1024;

/** What boundaries, part headers and fields may add to the file. */
const FORM_ALLOWANCE = 1024 * 1024;

/** What formidable says of a part's file. */
interface FormFile {
  readonly originalFilename: string | null;
  readonly mimetype: string | null;
  readonly size: number;
  readonly hash?: unknown;
}

interface Received {
  readonly field: string;
  readonly file: FormFile;
  readonly upload: Upload | null;
}

/**
 * Reads a multipart form; a file goes to a temporary file as it arrives. Whatever of it no handler took is removed
 * when `use` is done, and also when the form turns out to be unreadable.
 */
export async function withMultipart<T>(
  ctx: Context,
  request: RequestBody,
  engine: Engine,
  options: { readonly hash: boolean },
  use: (body: MultipartBody) => Promise<T>,
): Promise<T> {
  refuseTooLarge(ctx, engine.maxUploadBytes);
  const received: Received[] = [];
  let done = false;
  const next = await engine.uploads.reserve();
  // After a fault formidable still works off what it has buffered: that must not begin another file.
  const reserve = () => (done ? null : next());
  try {
    const fields = await parseBody(ctx, {
      formidable: formOptions(request, engine, options.hash, received, reserve),
    });
    return await use({ fields, files: received.map(describe) });
  } finally {
    done = true;
    await Promise.all(received.map(({ upload }) => upload?.discard()));
  }
}

/** Where the caller announces the size, nothing needs to be received to refuse it. */
function refuseTooLarge(ctx: Context, limit: number): void {
  if ((ctx.request.length ?? 0) <= limit + FORM_ALLOWANCE) return;
  throw refusal("body_too_large", `The body has ${ctx.request.length} bytes; a file may have ${limit}.`);
}

function formOptions(
  { schema }: RequestBody,
  engine: Engine,
  hash: boolean,
  received: Received[],
  reserve: () => Upload | null,
) {
  const begun: { field: string; file: unknown }[] = [];
  const wantedType = (field: string) =>
    (schema.properties[field] as { contentMediaType?: string })?.contentMediaType;
  return {
    maxFileSize: engine.maxUploadBytes,
    maxFieldsSize: MAX_FIELD_BYTES,
    allowEmptyFiles: true,
    minFileSize: 0,
    hashAlgorithm: hash ? ("sha256" as const) : (false as const),
    onPart(
      part: { name: string | null; originalFilename: string | null; mimetype: string | null },
      go: unknown,
    ) {
      // formidable takes a part for a file when it has a media type; RFC 7578 §4.2 goes by the file name.
      const isFile =
        part.originalFilename !== null || wantedType(part.name ?? "") === mediaType(part.mimetype);
      part.mimetype = isFile ? part.mimetype || "text/plain" : null;
      (go as (part: unknown) => void)(part);
    },
    onFileBegin: (field: string, file: unknown) => {
      begun.push({ field, file });
    },
    fileWriteStreamHandler: (file: unknown): Writable => {
      const form = file as FormFile;
      const field = begun.find((entry) => entry.file === file)?.field ?? "";
      const wanted =
        wantedType(field) === mediaType(form.mimetype) && !received.some((one) => one.field === field);
      const upload = wanted ? reserve() : null;
      received.push({ field, file: form, upload });
      return upload?.stream ?? new Writable({ write: (_chunk, _encoding, done) => done() });
    },
  };
}

const mediaType = (header: string | null): string => (header ?? "").replace(/;.*$/s, "").trim().toLowerCase();

function describe({ field, file, upload }: Received): FilePart {
  return {
    field,
    name: file.originalFilename?.replace(/^.*[/\\]/s, "").slice(0, 255) || null,
    type: mediaType(file.mimetype),
    bytes: file.size,
    sha256: typeof file.hash === "string" ? file.hash : null,
    upload,
  };
}
