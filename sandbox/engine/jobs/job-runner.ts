import { Buffer } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { Assessment, type FileProgress } from "../../../src/domain/diligence/assessment.ts";
import type { ClassifiedEntry } from "../../../src/domain/diligence/entry-classifier.ts";
import { EncodingCheck } from "../../../src/domain/entries/csv/encoding-check.ts";
import { EntryFileError } from "../../../src/domain/entries/entry-file-error.ts";
import { type AcceptedEntry, addEntries, removeEntries } from "../../store/entry-pages.ts";
import { type FileFindings, JOBS, type JobRow } from "../../store/jobs.ts";
import type { Store } from "../../store/open.ts";
import { addReport } from "../../store/reports.ts";
import { resolveOutcome } from "./outcome.ts";

/** One slice of work between two turns of the event loop: about 500 rows, a few milliseconds. */
const SLICE_BYTES = 128 * 1024;
const SLICE_ENTRIES = 500;

/** Checking the encoding is about fifty times faster than reading rows. */
const ENCODING_SLICE_BYTES = 1024 * 1024;

const SLICE_REMOVALS = 5_000;

const LF = 0x0a;

/**
 * Reads a job's file: first its encoding (diligence-model §1), then its rows, which go to the store as they are accepted.
 * It works in slices, so that other requests get their responses meanwhile. Rejects when `signal` aborts.
 */
export async function readJobFile(
  store: Store,
  job: JobRow,
  path: string,
  signal: AbortSignal,
): Promise<FileFindings> {
  const assessment = new Assessment(job);
  const scripted: Pick<Mutable<FileFindings>, "failsOnce" | "failsAlways" | "deferred" | "slow"> = {
    failsOnce: null,
    failsAlways: null,
    deferred: 0,
    slow: false,
  };
  let lastLine = 0;
  /** The entries of the current slice. */
  let accepted: AcceptedEntry[] = [];

  const findings = (fileError: FileFindings["fileError"]): FileFindings => ({
    fileError,
    ...scripted,
    progress: { ...assessment.progress },
  });

  const yieldToEventLoop = async (): Promise<void> => {
    await setImmediate();
    signal.throwIfAborted();
  };

  const collect = ({ scenario, entry }: ClassifiedEntry, before: FileProgress): void => {
    accepted.push({ entry, deferred: scenario === "deferred" });
    lastLine = entry.line;
    if (scenario === null) return;
    const failure = { line: entry.line, progress: before };
    if (scenario === "fails_once") scripted.failsOnce ??= failure;
    if (scenario === "fails_always") scripted.failsAlways ??= failure;
    if (scenario === "deferred") scripted.deferred += 1;
    if (scenario === "slow") scripted.slow = true;
  };

  const storeSlice = (work: () => void): void =>
    store.transaction(() => {
      accepted = [];
      work();
      addEntries(store, job.seq, accepted);
      // The progress must not exceed the final one: the run may fail at a row, and deferred entries do not count yet.
      JOBS.update(store, { id: job.id }, resolveOutcome(findings(null), 1).progress);
    });

  const readRows = async (file: FileHandle): Promise<void> => {
    for await (const bytes of readSlices(file, SLICE_BYTES)) {
      storeSlice(() => {
        for (const piece of splitSlice(bytes)) {
          const before = { ...assessment.progress };
          for (const entry of assessment.push(piece)) collect(entry, before);
        }
      });
      await yieldToEventLoop();
    }
  };

  /** The end of the file completes the last record. An es003 file yields all its entries only then. */
  const finishRows = async (): Promise<void> => {
    const rest = assessment.finish();
    for (let isDone = false; !isDone; ) {
      storeSlice(() => {
        for (let count = 0; count < SLICE_ENTRIES && !isDone; count += 1) {
          const before = { ...assessment.progress };
          const next = rest.next();
          if (next.done) isDone = true;
          else collect(next.value, before);
        }
      });
      await yieldToEventLoop();
    }
  };

  const file = await open(path);
  try {
    const check = new EncodingCheck();
    for await (const bytes of readSlices(file, ENCODING_SLICE_BYTES)) {
      check.push(bytes);
      await yieldToEventLoop();
    }
    check.end();
    await readRows(file);
    await finishRows();
    store.transaction(() => {
      addReport(store, job.seq, assessment.report());
      if (scripted.deferred) addReport(store, job.seq, assessment.partialReport());
    });
    return findings(null);
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
    // A file with an error has no dataset (diligence-model §1).
    for (let line = 0; line <= lastLine; line += SLICE_REMOVALS) {
      removeEntries(store, job.seq, line, line + SLICE_REMOVALS);
      await yieldToEventLoop();
    }
    return findings({ code: error.code, detail: error.message, line: error.line });
  } finally {
    await file.close();
  }
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Reads the file into two alternating buffers. A slice is valid until the next one is requested. */
async function* readSlices(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(size);
  let spare = Buffer.allocUnsafeSlow(size);
  const readInto = (target: Buffer, position: number) => {
    const read = file.read(target, 0, size, position);
    // The read is awaited later. Until then, its failure must not count as unhandled.
    read.catch(() => {});
    return read;
  };
  let reading = readInto(buffer, 0);
  for (let position = 0; ; ) {
    const { bytesRead } = await reading;
    if (bytesRead === 0) return;
    position += bytesRead;
    // The disk reads while the caller works on the current slice.
    reading = readInto(spare, position);
    yield buffer.subarray(0, bytesRead);
    [buffer, spare] = [spare, buffer];
  }
}

/** Splits a slice with the reserved filer code into lines: a run that fails at a row stops at that row. */
function* splitSlice(slice: Buffer): Generator<Buffer> {
  let start = 0;
  if (slice.includes("SBX")) {
    for (let end = slice.indexOf(LF); end !== -1; end = slice.indexOf(LF, start)) {
      yield slice.subarray(start, end + 1);
      start = end + 1;
    }
  }
  if (start < slice.length) yield slice.subarray(start);
}
