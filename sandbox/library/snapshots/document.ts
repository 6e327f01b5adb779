import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import Type, { type TSchema } from "typebox";
import { sandboxCredentials, sinkRequest } from "../../../src/contract/control-responses.ts";
import { count, environment } from "../../../src/contract/schemas.ts";
import { type ClaimsError, usageError } from "../../../src/domain/errors.ts";
import { isRecord, isTextTooDeep, isTooDeep } from "../../../src/domain/json.ts";
import { splitLines } from "../../../src/domain/text.ts";
import { MAX_TIME_MS, MIN_TIME_MS } from "../../../src/domain/time-range.ts";
import type { SinkRequest } from "../../api/webhooks.ts";
import type { SavedSinks } from "../../engine/sinks.ts";
import { digestSecret } from "../../store/credentials.ts";
import type { SqlValue } from "../../store/store.ts";
import { computeSchemaVersion, type TableContent } from "../../store/table-content.ts";
import { damagedSnapshot, type Memory, type Snapshot } from "./snapshot.ts";

/** The `format` in the first line of a snapshot. */
const SNAPSHOT_FORMAT = "claims-sandbox-snapshot";

/** Characters of rows, or bytes of a file, in one line: writing one takes a few milliseconds. */
const PIECE_SIZE = 256 * 1024;

/** Longer lines, which are rare, are looked at before they are parsed. */
const LONG_LINE_CHARS = 4 * PIECE_SIZE;

/** Far more than a row or a request to a sink has; parsing a line this long takes less than half a second. */
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
  for (const { name, columns, key, rows } of tables) {
    yield { table: name, columns, key };
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

/** Returns undefined for an invalid cell. */
function decodeCell(cell: unknown): SqlValue | undefined {
  if (isRecord(cell)) return typeof cell.base64 === "string" ? Buffer.from(cell.base64, "base64") : undefined;
  return typeof cell === "string" || typeof cell === "number" || cell === null ? cell : undefined;
}

/** The requests to sinks may be large: they have lines of their own. */
type MemoryPart = Omit<Memory, "sinks"> & { readonly sinks: Omit<SavedSinks, "kept"> };

type Source = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** Reads a document of {@link writeSnapshot}. @throws ClaimsError `snapshot_invalid`, also for damage or another version */
export async function readSnapshot(source: Source): Promise<Snapshot> {
  const hash = createHash("sha256");
  const parser = new SnapshotParser();
  let lineNumber = 0;
  let hasEnded = false;
  for await (const line of splitLines(source, requireLineLength)) {
    lineNumber += 1;
    const part = parseLine(line);
    if (lineNumber === 1) {
      parser.readHead(part);
    } else if (part === null || hasEnded) {
      throw damagedLine(lineNumber);
    } else if (part.end === SNAPSHOT_FORMAT) {
      // The last line has the checksum of all lines before it.
      if (hash.digest("hex") !== part.sha256)
        throw damagedSnapshot("its SHA-256 differs from the one in its last line");
      hasEnded = true;
      continue;
    } else {
      parser.addPart(part, lineNumber);
    }
    hash.update(`${line}\n`);
  }
  if (lineNumber === 0) throw invalidSnapshot("it is empty");
  if (!hasEnded) throw damagedSnapshot("its end is missing");
  return parser.finish();
}

/** Collects the lines between head and end. Rows follow the line of their table, and bytes the line of their file. */
class SnapshotParser {
  #takenAt = 0;
  #memory: MemoryPart | null = null;
  readonly #sinkRequests: unknown[] = [];
  readonly #tables: (Omit<TableContent, "rows"> & { readonly rows: SqlValue[][] })[] = [];
  readonly #files: { readonly job: string; readonly pieces: Buffer[] }[] = [];

  readHead(head: Readonly<Record<string, unknown>> | null): void {
    this.#takenAt = readTakenAt(head);
  }

  addPart(part: Readonly<Record<string, unknown>>, lineNumber: number): void {
    const { memory, sinkRequests, table, columns, key, rows, file, bytes } = part;
    const currentTable = this.#tables.at(-1);
    const currentFile = this.#files.at(-1);
    if (isRecord(memory)) {
      this.#memory = memory as unknown as MemoryPart;
    } else if (Array.isArray(sinkRequests)) {
      for (const request of sinkRequests) this.#sinkRequests.push(request);
    } else if (typeof table === "string" && isStringArray(columns) && isStringArray(key)) {
      this.#tables.push({ name: table, columns, key, rows: [] });
    } else if (Array.isArray(rows) && currentTable) {
      for (const row of rows) currentTable.rows.push(decodeRow(row, currentTable.columns.length, lineNumber));
    } else if (typeof file === "string") {
      this.#files.push({ job: file, pieces: [] });
    } else if (typeof bytes === "string" && currentFile) {
      currentFile.pieces.push(Buffer.from(bytes, "base64"));
    } else {
      throw damagedLine(lineNumber);
    }
  }

  async finish(): Promise<Snapshot> {
    if (!this.#memory) throw damagedSnapshot("its memory is missing");
    const memory = { ...this.#memory, sinks: { ...this.#memory.sinks, kept: this.#sinkRequests } };
    const invalidPart = await findInvalidPart(memory);
    if (invalidPart !== null) throw damagedSnapshot(`its memory has an invalid ${invalidPart}`);
    const files = this.#files.map(({ job, pieces }) => ({ job, bytes: Buffer.concat(pieces) }));
    return { takenAt: this.#takenAt, memory: memory as Memory, tables: this.#tables, files };
  }
}

const damagedLine = (lineNumber: number): ClaimsError =>
  damagedSnapshot(`line ${lineNumber} is not part of a snapshot`);

function readTakenAt(head: Readonly<Record<string, unknown>> | null): number {
  if (head?.format !== SNAPSHOT_FORMAT) throw invalidSnapshot("its first line is not that of a snapshot");
  if (head.schema !== computeSchemaVersion()) throw versionMismatch();
  const takenAt = typeof head.takenAt === "string" ? Date.parse(head.takenAt) : Number.NaN;
  if (takenAt >= MIN_TIME_MS && takenAt <= MAX_TIME_MS) return takenAt;
  throw damagedSnapshot("its time is invalid");
}

function decodeRow(row: unknown, width: number, lineNumber: number): SqlValue[] {
  const cells = Array.isArray(row) ? row.map(decodeCell) : [];
  if (cells.length === width && !cells.includes(undefined)) return cells as SqlValue[];
  throw damagedSnapshot(`line ${lineNumber} has an invalid row`);
}

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

function parseLine(line: string): Readonly<Record<string, unknown>> | null {
  if (line.length > LONG_LINE_CHARS && isTextTooDeep(line)) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && !isTooDeep(value) ? value : null;
  } catch {
    return null;
  }
}

function requireLineLength(length: number): void {
  if (length > MAX_LINE_CHARS) throw invalidSnapshot(`a line has more than ${MAX_LINE_CHARS} characters`);
}

const invalidSnapshot = (reason: string) =>
  usageError("snapshot_invalid", `not a snapshot of a sandbox: ${reason}`, {
    hint: "give a file that `claims sandbox snapshot save --file FILE` wrote, or a document of snapshots.export()",
  });

const versionMismatch = () =>
  usageError("snapshot_invalid", "a sandbox of another version took the snapshot", {
    hint: "nothing was loaded; take it again with this version",
  });

const int32 = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 });

const MEMORY_SCHEMAS: Readonly<Record<keyof Memory, TSchema>> = {
  url: Type.String({ pattern: /^http:\/\/[\w.:[\]-]+$/.source }),
  instanceId: Type.String({ minLength: 1 }),
  clock: Type.Union([
    Type.Object({ stoppedAt: Type.Integer({ minimum: MIN_TIME_MS, maximum: MAX_TIME_MS }) }),
    Type.Object({
      ahead: Type.Number({ exclusiveMinimum: -MAX_TIME_MS, exclusiveMaximum: MAX_TIME_MS }),
    }),
  ]),
  random: Type.Union([
    Type.Null(),
    Type.Object({
      seed: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
      streams: Type.Record(Type.String(), Type.Tuple([int32, int32, int32, int32])),
    }),
  ]),
  credentials: sandboxCredentials,
  keys: Type.Array(
    Type.Tuple([
      Type.String({ pattern: "^[0-9a-f]{64}$" }),
      Type.Object({
        partner: Type.Union([Type.Literal(1), Type.Literal(2)]),
        environment: environment(),
      }),
    ]),
  ),
  sinks: Type.Object({
    kept: Type.Array(sinkRequest),
    counts: Type.Array(Type.Tuple([Type.String(), count()])),
  }),
};

/** The name of the first invalid part of a memory, or null. The hash of a document does not show who wrote it. */
async function findInvalidPart(memory: Readonly<Record<string, unknown>>): Promise<string | null> {
  const { Check } = await import("../../wire/schema-errors.ts");
  for (const [name, schema] of Object.entries(MEMORY_SCHEMAS)) if (!Check(schema, memory[name])) return name;
  // An unknown key could be neither used nor rotated.
  const { credentials, keys } = memory as unknown as Memory;
  const digests = new Set(keys.map(([keyDigest]) => keyDigest));
  const { sandbox, production, otherPartner } = credentials;
  const isKnown = [sandbox, production, otherPartner].every(({ apiKey }) =>
    digests.has(digestSecret(apiKey)),
  );
  return isKnown ? null : "keys";
}
