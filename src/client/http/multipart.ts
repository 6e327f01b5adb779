import { PassThrough, type Readable } from "node:stream";
import FormData from "form-data";

/** A file to upload; `open` is called anew for every attempt. */
export interface UploadFile {
  readonly name: string;
  /** How the command line named it; its name where nobody says. */
  readonly source?: string | undefined;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  open(): Readable;
}

/** A form with one file. */
export interface MultipartInput {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: UploadFile;
  /** Called with the bytes of the file that have left so far. */
  readonly onProgress?: ((sent: number) => void) | undefined;
}

interface EncodedBody {
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/** A streaming multipart/form-data body (RFC 7578): the text fields, then the file. */
export function encodeMultipart({ fields, file, onProgress }: MultipartInput): EncodedBody {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const content = file.open();
  form.append("file", content, {
    filename: file.name,
    contentType: file.contentType,
    knownLength: file.size,
  });

  const body = new PassThrough({ highWaterMark: 1 << 20 });
  if (onProgress) {
    let sent = 0;
    content.on("data", (chunk: Uint8Array) => {
      sent += chunk.length;
      onProgress(sent);
    });
  }
  form.on("error", (error) => body.destroy(error));
  body.on("close", () => content.destroy());
  form.pipe(body);
  return { headers: { ...form.getHeaders(), "content-length": String(form.getLengthSync()) }, body };
}
