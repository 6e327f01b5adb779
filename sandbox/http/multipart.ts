import { Buffer } from "node:buffer";
import { Writable } from "node:stream";
import type { Context } from "koa";
import type { ExtendedFormidableOptions } from "koa-body";
import type { RequestBody } from "../../src/contract/operation.ts";
import type { FieldError } from "../../src/contract/problem.ts";
import type { Engine } from "../engine/engine.ts";
import type { Upload } from "../engine/uploads.ts";
import type { FilePart, FormFields, MultipartBody } from "../handlers/handler.ts";
import { invalid, refusal } from "../refusal.ts";
import { contentEncoding, cutOff } from "../wire/read-body.ts";
import { FORM_ALLOWANCE, FormIntake } from "./form-intake.ts";
import { FORM_LIMITS, multipartRefusal } from "./multipart-faults.ts";
import { heardOf } from "./recording.ts";

/** What formidable says of a part's file. */
interface FormFile {
  readonly originalFilename: string | null;
  readonly mimetype: string | null;
  readonly size: number;
  readonly hash?: unknown;
}

type Part = Parameters<NonNullable<ExtendedFormidableOptions["onPart"]>>[0];

interface ReceivedFile {
  readonly field: string;
  readonly file: FormFile;
  readonly upload: Upload | null;
}

/** What has arrived of a form. */
interface Received {
  readonly fields: { readonly name: string; readonly chunks: Buffer[] }[];
  readonly files: ReceivedFile[];
  nameless: boolean;
}

/** What it takes to receive a form. */
interface Receiving {
  readonly hash: boolean;
  readonly received: Received;
  readonly reserve: () => Upload | null;
  readonly intake: FormIntake;
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
  refuseEncoded(ctx);
  refuseTooLarge(ctx, engine.maxUploadBytes);
  const received: Received = { fields: [], files: [], nameless: false };
  let done = false;
  const next = await engine.uploads.reserve();
  // After a fault formidable still works off what it has buffered: that must not begin another file.
  const reserve = () => (done ? null : next());
  try {
    await parse(ctx, engine, (intake) =>
      formOptions(request, engine, { hash: options.hash, received, reserve, intake }),
    );
    if (received.nameless) throw refusal("malformed_request", "The form has a part without a name.");
    const fields = decodeFields(received);
    heardOf(ctx).takeFields(fields);
    return await use({ fields, files: received.files.map(describe) });
  } finally {
    done = true;
    await Promise.all(received.files.map(({ upload }) => upload?.discard()));
  }
}

function refuseEncoded({ req }: Context): void {
  const encoding = contentEncoding(req);
  if (encoding === "identity") return;
  throw refusal("unsupported_media_type", `A form is sent as it is, without Content-Encoding ${encoding}.`);
}

/** Where the caller announces the size, nothing needs to be received to refuse it. */
function refuseTooLarge(ctx: Context, limit: number): void {
  if ((ctx.request.length ?? 0) <= limit + FORM_ALLOWANCE) return;
  throw refusal("body_too_large", `The body has ${ctx.request.length} bytes; a file may have ${limit}.`);
}

/** koa-body is loaded with the first form: its import takes longer than the rest of a start. */
async function parse(
  ctx: Context,
  engine: Engine,
  optionsOf: (intake: FormIntake) => ExtendedFormidableOptions,
): Promise<void> {
  const { koaBody } = await import("koa-body");
  // A caller that hung up meanwhile: formidable would wait for events that have been.
  if (ctx.req.destroyed) throw cutOff();
  const intake = new FormIntake(ctx.req, heardOf(ctx));
  const { stream } = intake;
  const counted = Object.create(ctx, {
    req: { value: Object.assign(stream, { headers: ctx.req.headers }) },
  }) as Context;
  // formidable listens some ticks later; what fails before that would reach nobody.
  const failed = new Promise<never>((_resolve, reject) => stream.once("error", reject));
  try {
    const read = koaBody({ multipart: true, patchNode: false, formidable: optionsOf(intake) });
    await Promise.race([read(counted, async () => undefined), failed]);
  } catch (error) {
    if (ctx.req.destroyed && !ctx.req.complete) throw cutOff();
    throw multipartRefusal(error, engine.maxUploadBytes) ?? error;
  } finally {
    intake.end();
  }
}

function formOptions(
  { schema }: RequestBody,
  engine: Engine,
  { hash, received, reserve, intake }: Receiving,
): ExtendedFormidableOptions {
  const begun = new WeakMap<object, string>();
  const wantedType = (field: string) =>
    (schema.properties[field] as { contentMediaType?: string })?.contentMediaType;
  return {
    ...FORM_LIMITS,
    maxFileSize: engine.maxUploadBytes,
    allowEmptyFiles: true,
    minFileSize: 0,
    hashAlgorithm: hash ? "sha256" : false,
    onPart(part, go) {
      if (!part.name) received.nameless = true;
      // formidable takes a part for a file when it has a media type; RFC 7578 §4.2 goes by the file name.
      const isFile =
        part.originalFilename !== null || wantedType(part.name ?? "") === mediaType(part.mimetype);
      part.mimetype = isFile ? part.mimetype || "text/plain" : null;
      if (isFile) part.on("data", (chunk: Buffer) => intake.belongToFile(chunk.length));
      else keepField(part, received);
      go(part);
    },
    onFileBegin: (field: string, file: object) => {
      begun.set(file, field);
    },
    fileWriteStreamHandler: (file: unknown): Writable => {
      const form = file as FormFile;
      const field = begun.get(form) ?? "";
      const wanted =
        wantedType(field) === mediaType(form.mimetype) && !received.files.some((one) => one.field === field);
      const upload = wanted ? reserve() : null;
      received.files.push({ field, file: form, upload });
      return upload?.stream ?? new Writable({ write: (_chunk, _encoding, done) => done() });
    },
  };
}

/** formidable checks the limits; it would mend what is not UTF-8 and lose a field named `__proto__`. */
function keepField(part: Part, { fields }: Received): void {
  const chunks: Buffer[] = [];
  fields.push({ name: part.name ?? "", chunks });
  part.on("data", (chunk: Buffer) => chunks.push(chunk));
}

function decodeFields(received: Received): FormFields {
  const fields = new Map<string, string[]>();
  const errors: FieldError[] = [];
  for (const { name, chunks } of received.fields) {
    const value = decodeUtf8(Buffer.concat(chunks));
    if (value === null) errors.push(notUtf8(name));
    else fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  if (errors.length > 0) throw invalid(errors);
  return fields;
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

const mediaType = (header: string | null): string => (header ?? "").replace(/;.*$/s, "").trim().toLowerCase();

function describe({ field, file, upload }: ReceivedFile): FilePart {
  return {
    field,
    name: file.originalFilename?.replace(/^.*[/\\]/s, "").slice(0, 255) || null,
    type: mediaType(file.mimetype),
    bytes: file.size,
    sha256: typeof file.hash === "string" ? file.hash : null,
    upload,
  };
}
