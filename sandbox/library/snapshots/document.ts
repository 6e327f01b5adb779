import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { usageError } from "../../../src/domain/errors.ts";
import { isRecord, isTextTooDeep, parseJsonText } from "../../../src/domain/json.ts";
import { splitLines } from "../../../src/domain/text.ts";
import type { SinkRequest } from "../../api/webhooks.ts";
import type { SqlValue } from "../../store/store.ts";
import { computeSchemaVersion } from "../../store/table-content.ts";
import type { Memory, Snapshot } from "./snapshot.ts";

/** The `format` in the first line of a snapshot. */
const SNAPSHOT_FORMAT = "claims-sandbox-snapshot";

/** Characters of rows, or bytes of a file, in one line: writing one takes a few milliseconds. */
const PIECE_SIZE = 256 * 1024;

/** Longer lines, which are rare, are looked at before they are parsed: parsing millions of levels takes a second. */
const LONG_LINE_CHARS = 4 * PIECE_SIZE;

/** Far more than a row or a request to a sink has. */
const MAX_LINE_CHARS = 16 * 1024 * 1024;

/** Writes a snapshot as a portable document: lines of JSON, the last one with the SHA-256 of the others. */
export function* writeSnapshot(snapshot: Snapshot): Generator<string> {
  const hash = createHash("sha256");
  for (const part of listParts(snapshot)) {
    const line = `${JSON.stringify(part)}\n`;
    hash.update(line);
    yield line;
  }
  yield `${JSON.stringify({ end: SNAPSHOT_FORMAT, sha256: hash.digest("hex") })}\n`;
}

function* listParts({ takenAt, memory, tables, files }: Snapshot): Generator<object> {
  yield { format: SNAPSHOT_FORMAT, schema: computeSchemaVersion(), takenAt: new Date(takenAt).toISOString() };
  const { kept, ...sinks } = memory.sinks;
  yield { memory: { ...memory, sinks } };
  for (const sinkRequests of splitBySize(kept, sizeOfSinkRequest)) yield { sinkRequests };
  for (const { name, rows } of tables) {
    yield { table: name };
    for (const piece of splitBySize(rows, sizeOfRow)) yield { rows: piece.map((row) => row.map(encodeCell)) };
  }
  for (const { job, bytes } of files) {
    yield { file: job };
    for (let at = 0; at < bytes.length; at += PIECE_SIZE)
      yield { bytes: Buffer.from(bytes.subarray(at, at + PIECE_SIZE)).toString("base64") };
  }
}

/** Groups items, so that each group has about the size of a piece. */
function* splitBySize<T>(items: Iterable<T>, sizeOf: (item: T) => number): Generator<readonly T[]> {
  let group: T[] = [];
  let size = 0;
  for (const item of items) {
    group.push(item);
    size += sizeOf(item);
    if (size < PIECE_SIZE) continue;
    yield group;
    group = [];
    size = 0;
  }
  if (group.length > 0) yield group;
}

const sizeOfSinkRequest = ({ target, headers, bodyBase64 }: SinkRequest): number =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length, target.length + bodyBase64.length);

function sizeOfRow(row: readonly SqlValue[]): number {
  let size = 0;
  for (const cell of row) size += typeof cell === "string" || ArrayBuffer.isView(cell) ? cell.length + 4 : 8;
  return size;
}

const encodeCell = (cell: SqlValue): unknown =>
  ArrayBuffer.isView(cell) ? { base64: Buffer.from(cell).toString("base64") } : cell;

const decodeCell = (cell: SqlValue | { readonly base64: string }): SqlValue =>
  isRecord(cell) ? Buffer.from(String(cell.base64), "base64") : cell;

type Source = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * Reads a document of {@link writeSnapshot}: with the schema of this version and the right hash, it is as this version wrote it.
 *
 * @throws ClaimsError `snapshot_invalid`
 */
export async function readSnapshot(source: Source): Promise<Snapshot> {
  const hash = createHash("sha256");
  const parts: Part[] = [];
  let end: Part | undefined;
  for await (const line of splitLines(source, requireLineLength)) {
    const part = line.length > LONG_LINE_CHARS && isTextTooDeep(line) ? undefined : parseJsonText(line);
    if (parts.length === 0 && !(isRecord(part) && part.format === SNAPSHOT_FORMAT))
      throw invalidSnapshot("its first line is not that of a snapshot");
    if (!isRecord(part) || end)
      throw damagedSnapshot(`line ${parts.length + (end ? 2 : 1)} is not part of a snapshot`);
    if (part.end === SNAPSHOT_FORMAT) {
      end = part;
      continue;
    }
    parts.push(part);
    hash.update(`${line}\n`);
  }
  if (parts.length === 0) throw invalidSnapshot("it is empty");
  if (parts[0]?.schema !== computeSchemaVersion()) throw versionMismatch();
  if (!end) throw damagedSnapshot("its end is missing");
  if (hash.digest("hex") !== end.sha256)
    throw damagedSnapshot("its SHA-256 differs from the one in its last line");
  return joinParts(parts);
}

type Part = Readonly<Record<string, unknown>>;

/** Rows follow the line of their table, and bytes the line of their file. */
function joinParts([head, ...parts]: readonly Part[]): Snapshot {
  const kept: SinkRequest[] = [];
  const tables: { readonly name: string; readonly rows: SqlValue[][] }[] = [];
  const files: { readonly job: string; readonly pieces: Buffer[] }[] = [];
  let memory = {} as Memory;
  for (const part of parts as readonly Partial<DocumentPart>[]) {
    if (part.memory) memory = part.memory;
    if (part.sinkRequests) kept.push(...part.sinkRequests);
    if (part.table !== undefined) tables.push({ name: part.table, rows: [] });
    for (const row of part.rows ?? []) tables.at(-1)?.rows.push(row.map(decodeCell));
    if (part.file !== undefined) files.push({ job: part.file, pieces: [] });
    if (part.bytes !== undefined) files.at(-1)?.pieces.push(Buffer.from(part.bytes, "base64"));
  }
  return {
    takenAt: Date.parse(String(head?.takenAt)),
    memory: { ...memory, sinks: { ...memory.sinks, kept } },
    tables,
    files: files.map(({ job, pieces }) => ({ job, bytes: Buffer.concat(pieces) })),
  };
}

/** The lines between the first and the last one have one of these fields each. */
interface DocumentPart {
  readonly memory: Memory;
  /** They may be large: they have lines of their own. */
  readonly sinkRequests: readonly SinkRequest[];
  readonly table: string;
  readonly rows: readonly (readonly (SqlValue | { readonly base64: string })[])[];
  readonly file: string;
  readonly bytes: string;
}

function requireLineLength(length: number): void {
  if (length > MAX_LINE_CHARS) throw invalidSnapshot(`a line has more than ${MAX_LINE_CHARS} characters`);
}

const invalidSnapshot = (reason: string) =>
  usageError("snapshot_invalid", `not a snapshot of a sandbox: ${reason}`, {
    hint: "give a file that `claims sandbox snapshot save --file FILE` wrote, or a document of snapshots.export()",
  });

const damagedSnapshot = (reason: string) =>
  usageError("snapshot_invalid", `the snapshot is damaged: ${reason}`, {
    hint: "nothing was loaded; save it again where it was taken",
  });

const versionMismatch = () =>
  usageError("snapshot_invalid", "a sandbox of another version took the snapshot", {
    hint: "nothing was loaded; take it again with this version",
  });
