import { Buffer } from "node:buffer";
import { ClaimsError } from "../domain/errors.ts";

/** Longest answer that is read into memory; a dataset is streamed instead. */
const BODY_LIMIT = 256 * 1024 * 1024;

/** An answer in the 200s. */
export interface Answer {
  readonly status: number;
  /** Names in lower case; a secret of ours that the service repeats is blanked out. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes the service sent. */
  readonly body: Buffer;
}

/** An answer in the 200s whose body is still on its way. */
export interface StreamedAnswer extends Omit<Answer, "body"> {
  /** The bytes as they come; a connection that breaks off throws a {@link ClaimsError} and is not taken for the end. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reads a body whole. */
export async function collect({ status, headers, body }: StreamedAnswer): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > BODY_LIMIT) throw tooLarge();
    chunks.push(chunk);
  }
  return { status, headers, body: Buffer.concat(chunks) };
}

const tooLarge = (): ClaimsError =>
  new ClaimsError("rejected", "answer_too_large", `the answer is larger than ${BODY_LIMIT} bytes`, {
    hint: "only a dataset may be that large; it is read as a stream",
  });
