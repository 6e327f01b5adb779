import { PassThrough, type Readable } from "node:stream";
import FormData from "form-data";

/** A file to upload. Every attempt opens it. */
export interface UploadFile {
  readonly name: string;
  /** How the user named it; default: `name`. */
  readonly source?: string | undefined;
  readonly contentType: string;
  /** The number of bytes. */
  readonly size: number;
  open(): Readable;
}

export interface MultipartInput {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: UploadFile;
  /** @param sentBytes of the file so far */
  readonly onProgress?: ((sentBytes: number) => void) | undefined;
}

/** A streaming multipart/form-data body (RFC 7578): the text fields, then the file. */
export function encodeMultipart({ fields, file, onProgress }: MultipartInput) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const content = file.open();
  form.append("file", content, {
    filename: file.name,
    contentType: file.contentType,
    knownLength: file.size,
  });
  let sent = 0;
  if (onProgress)
    content.on("data", ({ length }: Uint8Array) => {
      sent += length;
      onProgress(sent);
    });
  const body = new PassThrough({ highWaterMark: 1 << 20 });
  form.on("error", (error) => body.destroy(error));
  body.on("close", () => content.destroy());
  form.pipe(body);
  return { headers: { ...form.getHeaders(), "content-length": String(form.getLengthSync()) }, body };
}
