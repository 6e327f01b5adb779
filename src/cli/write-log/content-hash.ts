import { createHash } from "node:crypto";

/** What a write says. */
export interface WriteContent {
  /** Id of the operation, or method and path. */
  readonly operation: string;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Hex SHA-256 of what a write says and carries, however it is encoded on its way. */
export async function hashContent(
  { operation, params = {}, fields = {} }: WriteContent,
  body: Pieces = [],
): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([operation, sorted(params), sorted(fields)]));
  for await (const piece of body) hash.update(piece);
  return hash.digest("hex");
}

const sorted = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
