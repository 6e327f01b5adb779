import { Buffer } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import { ClaimsError } from "../../../src/domain/errors.ts";
import { isRecord, isTooDeep } from "../../../src/domain/json.ts";
import { splitLines } from "../../../src/domain/text.ts";
import { MIN_TIME_MS } from "../../../src/domain/time-range.ts";
import type { SqlValue } from "../../store/open.ts";
import { computeSchemaVersion, type TableContent } from "../../store/table-content.ts";
import { MAX_CLOCK_TIME } from "../scheduler/clock.ts";
import { findInvalidPart } from "./memory-schema.ts";
import type { Memory, Snapshot } from "./snapshot.ts";

/** What the first line of a snapshot calls itself. */
const FORMAT = "claims-sandbox-snapshot";

/** Characters of rows, or bytes of a file, that share a line. */
const PIECE_CHARS = 1024 * 1024;

/** Characters: a row is far below. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

/** A snapshot as a document that another machine can load: JSON in lines, the last one with the SHA-256 of the others. */
export function* writeSnapshot(snapshot: Snapshot): Generator<string> {
  const hash = createHash("sha256");
  for (const part of documentParts(snapshot)) {
    const line = `${JSON.stringify(part)}\n`;
    hash.update(line);
    yield line;
  }
  yield `${JSON.stringify({ end: FORMAT, sha256: hash.digest("hex") })}\n`;
}

function* documentParts({ takenAt, memory, tables, files }: Snapshot): Generator<object> {
  yield { format: FORMAT, schema: computeSchemaVersion(), takenAt: new Date(takenAt).toISOString() };
  yield { memory };
  for (const { name, columns, key, rows } of tables) {
    yield { table: name, columns, key };
    yield* splitRows(rows);
  }
  for (const { job, bytes } of files) {
    yield { file: job };
    for (let at = 0; at < bytes.length; at += PIECE_CHARS)
      yield { bytes: Buffer.from(bytes.subarray(at, at + PIECE_CHARS)).toString("base64") };
  }
}

function* splitRows(rows: TableContent["rows"]): Generator<object> {
  let piece: unknown[] = [];
  let size = 0;
  for (const row of rows) {
    const cells = row.map(encodeCell);
    piece.push(cells);
    size += row.reduce<number>((sum, cell) => sum + sizeOf(cell), 0);
    if (size < PIECE_CHARS) continue;
    yield { rows: piece };
    piece = [];
    size = 0;
  }
  if (piece.length > 0) yield { rows: piece };
}

const sizeOf = (cell: SqlValue): number =>
  typeof cell === "string" || ArrayBuffer.isView(cell) ? cell.length + 4 : 8;

const encodeCell = (cell: SqlValue): unknown =>
  ArrayBuffer.isView(cell) ? { base64: Buffer.from(cell).toString("base64") } : cell;

/** Undefined for what no cell can be. */
function decodeCell(cell: unknown): SqlValue | undefined {
  if (isRecord(cell)) return typeof cell.base64 === "string" ? Buffer.from(cell.base64, "base64") : undefined;
  return typeof cell === "string" || typeof cell === "number" || cell === null ? cell : undefined;
}

type Source = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * Reads what {@link writeSnapshot} wrote.
 *
 * @throws ClaimsError `snapshot_unreadable`, `snapshot_of_another_version`, `snapshot_damaged`
 */
export async function readSnapshot(source: Source): Promise<Snapshot> {
  const reader = new SnapshotReader();
  for await (const line of splitLines(source, checkLength)) reader.take(line);
  return reader.end();
}

class SnapshotReader {
  readonly #hash: Hash = createHash("sha256");
  #number = 0;
  #takenAt = 0;
  #memory: Memory | null = null;
  #hasEnded = false;
  readonly #tables: (Omit<TableContent, "rows"> & { readonly rows: SqlValue[][] })[] = [];
  readonly #files: { readonly job: string; readonly pieces: Buffer[] }[] = [];

  take(line: string): void {
    this.#number += 1;
    const part = parseLine(line);
    if (this.#number === 1) this.#begin(part);
    else if (part === null || this.#hasEnded)
      throw damagedSnapshot(`line ${this.#number} is none of a snapshot`);
    else if (part.end === FORMAT) this.#finish(part.sha256);
    else this.#add(part);
    if (!this.#hasEnded) this.#hash.update(`${line}\n`);
  }

  end(): Snapshot {
    if (this.#number === 0) throw unreadableSnapshot("it is empty");
    if (!this.#hasEnded) throw damagedSnapshot("its end is missing");
    if (!this.#memory) throw damagedSnapshot("a part of it is missing");
    return {
      takenAt: this.#takenAt,
      memory: this.#memory,
      tables: this.#tables,
      files: this.#files.map(({ job, pieces: read }) => ({ job, bytes: Buffer.concat(read) })),
    };
  }

  #begin(head: Record<string, unknown> | null): void {
    if (head?.format !== FORMAT) throw unreadableSnapshot("its first line is none of a snapshot");
    if (head.schema !== computeSchemaVersion()) throw versionMismatch();
    this.#takenAt = typeof head.takenAt === "string" ? Date.parse(head.takenAt) : Number.NaN;
    if (!(this.#takenAt >= MIN_TIME_MS && this.#takenAt <= MAX_CLOCK_TIME))
      throw damagedSnapshot("it does not tell when it was taken");
  }

  #add({ table, columns, key, rows, file, bytes, memory }: Record<string, unknown>): void {
    const content = this.#tables.at(-1);
    const unread = this.#files.at(-1);
    if (isRecord(memory)) this.#memory = this.#parseMemory(memory);
    else if (typeof table === "string" && isStringArray(columns) && isStringArray(key))
      this.#tables.push({ name: table, columns, key, rows: [] });
    else if (Array.isArray(rows) && content)
      for (const row of rows) content.rows.push(this.#parseRow(row, content.columns.length));
    else if (typeof file === "string") this.#files.push({ job: file, pieces: [] });
    else if (typeof bytes === "string" && unread) unread.pieces.push(Buffer.from(bytes, "base64"));
    else throw damagedSnapshot(`line ${this.#number} is none of a snapshot`);
  }

  #parseMemory(memory: Record<string, unknown>): Memory {
    const unsound = findInvalidPart(memory);
    if (unsound !== null)
      throw damagedSnapshot(`its memory has no ${unsound} that a sandbox could have saved`);
    return memory as unknown as Memory;
  }

  #parseRow(row: unknown, width: number): SqlValue[] {
    const cells = Array.isArray(row) ? row.map(decodeCell) : [];
    if (cells.length === width && !cells.includes(undefined)) return cells as SqlValue[];
    throw damagedSnapshot(`line ${this.#number} has a row that is none`);
  }

  #finish(sha256: unknown): void {
    if (this.#hash.digest("hex") !== sha256)
      throw damagedSnapshot("its SHA-256 is not the one that its last line tells");
    this.#hasEnded = true;
  }
}

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && !isTooDeep(value) ? value : null;
  } catch {
    return null;
  }
}

function checkLength(length: number): void {
  if (length > MAX_LINE_CHARS) throw unreadableSnapshot(`a line has more than ${MAX_LINE_CHARS} characters`);
}

const unreadableSnapshot = (why: string): ClaimsError =>
  new ClaimsError("usage", "snapshot_unreadable", `this is no snapshot of a sandbox: ${why}`, {
    hint: "give one that `claims sandbox snapshot save --file FILE` wrote",
  });

export const damagedSnapshot = (why: string, cause?: unknown): ClaimsError =>
  new ClaimsError("usage", "snapshot_damaged", `the snapshot is damaged: ${why}`, {
    hint: "nothing was loaded; save it again where it was taken",
    cause,
  });

const versionMismatch = (): ClaimsError =>
  new ClaimsError(
    "usage",
    "snapshot_of_another_version",
    "the snapshot was taken by a sandbox of another version",
    {
      hint: "nothing was loaded; take it again with this version",
    },
  );
