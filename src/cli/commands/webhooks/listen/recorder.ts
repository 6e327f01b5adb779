import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import { headerValues } from "../../../../domain/http-headers.ts";
import type { Context } from "../../../context.ts";
import { type Chunks, writeFileAtomically } from "../../../files/atomic-file.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import { createFolder } from "../../../files/folders.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { IncomingDelivery } from "./delivery.ts";

export type Recorder = Awaited<ReturnType<typeof openRecorder>>;

/** Writes raw HTTP requests. Mode 0600: the data of a partner. @throws ClaimsError `cannot_write` */
export async function openRecorder(context: Context, path: string) {
  const folder = resolve(context.cwd, path);
  // Two listeners may record the same delivery in one folder.
  const tag = randomUUID().slice(0, 8);
  let isWhole = true;
  await createFolder(folder, 0o700).catch((cause) => {
    const message = `cannot record into ${path}: ${describeFileError(cause)}`;
    throw usageError("cannot_write", message, { hint: "name another folder", cause });
  });
  return {
    /** Resolves to the name of the file. Null if it cannot be written, which does not stop the listener. */
    async saveRequest(incoming: IncomingDelivery, number: number): Promise<string | null> {
      const time = new Date(incoming.at).toISOString().replaceAll(/[-:]/g, "");
      const name = `${time}-${String(number).padStart(4, "0")}-${tag}.http`;
      try {
        // Another program may have moved it away, for example to rotate logs.
        await createFolder(folder, 0o700);
        await writeFileAtomically(join(folder, name), rawHttpRequest(incoming), { mode: 0o600 });
        return name;
      } catch (error) {
        const problem = `cannot record: ${(error as Error).message}`;
        if (isWhole) printMessage(context, `warning: ${problem}; deliveries are still accepted`);
        isWhole = false;
        return null;
      }
    },
    toError(): ClaimsError | undefined {
      if (isWhole) return undefined;
      return usageError("cannot_write", `some deliveries could not be recorded into ${folder}`, {
        hint: "free space, or record into another folder; the output of this command is all that remains of the others",
      });
    },
  };
}

/** A chunked body becomes one chunk: `verify` would read an unframed body that looks like chunks as chunks. */
function rawHttpRequest({ path, headers, body }: IncomingDelivery): Chunks {
  const target = path.replace(/[^\x21-\x7e]/g, encodeURIComponent);
  const lines = [`POST ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  // Node reads headers as Latin-1: one character for each byte.
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  if (headerValues(headers, "transfer-encoding").length === 0) return [head, body];
  const chunk = body.length > 0 ? [`${body.length.toString(16)}\r\n`, body, "\r\n"] : [];
  return [head, ...chunk, "0\r\n\r\n"];
}
