import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Intent } from "./events.ts";

/** A write as the log keeps it, without its time and key. */
export type WriteDescription = Pick<
  Intent,
  "operation" | "content" | "seller" | "file" | "fileSha256" | "path" | "bytes" | "target"
> & {
  readonly jobId: string | null;
};

interface WriteContent {
  readonly operation: string;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** Hex SHA-256 of operation, parameters, fields and body, independent of the encoding. */
export function hashContent(
  { operation, params = {}, fields = {} }: WriteContent,
  body?: Uint8Array,
): string {
  const hash = createHash("sha256").update(
    JSON.stringify([operation, sortEntries(params), sortEntries(fields)]),
  );
  if (body) hash.update(body);
  return hash.digest("hex");
}

const sortEntries = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));

export function describeJsonWrite(
  operation: string,
  json?: object,
  params?: Readonly<Record<string, string>>,
): WriteDescription {
  const body = json && Buffer.from(JSON.stringify(json));
  const content = hashContent({ operation, params }, body);
  const target = params && Object.values(params).join("/");
  return { operation, content, seller: null, file: null, bytes: body?.length ?? null, target, jobId: null };
}
