import { readFile, rm } from "node:fs/promises";
import { ClaimsError } from "../../../src/domain/errors.ts";
import type { SandboxCredentials } from "../../api/sandbox.ts";
import type { Credentials } from "../../store/credentials.ts";
import { rebaseEndpointUrls } from "../../store/endpoints.ts";
import { clearStore, readContent, replaceContent, type TableContent } from "../../store/table-content.ts";
import type { Engine } from "../engine.ts";
import type { SavedRandom } from "../random.ts";
import type { SavedClock } from "../scheduler/clock.ts";
import { seed } from "../seed.ts";
import type { SavedSinks } from "../sinks.ts";
import type { Upload } from "../uploads.ts";
import { damagedSnapshot } from "./document.ts";

/** What a sandbox remembers beside its store, as JSON. */
export interface Memory {
  /** Where it answered: its own endpoints are there. */
  readonly url: string;
  readonly clock: SavedClock;
  readonly random: SavedRandom | null;
  readonly credentials: SandboxCredentials;
  readonly keys: ReturnType<Credentials["save"]>;
  readonly sinks: SavedSinks;
}

/** The whole state of the service that a sandbox plays; its faults, its journal and how it was started are none of it. */
export interface Snapshot {
  /** Milliseconds since 1970 of the sandbox clock. */
  readonly takenAt: number;
  readonly memory: Memory;
  readonly tables: readonly TableContent[];
  /** The files that no run has begun to read yet. */
  readonly files: readonly UnreadFile[];
}

export interface UnreadFile {
  readonly job: string;
  readonly bytes: Uint8Array;
}

/** Rows wait until what runs inside has settled; a delivery under way is taken as one that has yet to begin. */
export function takeSnapshot(engine: Engine): Promise<Snapshot> {
  const { clockMover, clock, store, jobs } = engine;
  return clockMover.pause(async (leaving) => {
    const due = leaving.map(({ seq, dueAt, kind, subject }) => ({ seq, due_at: dueAt, kind, subject }));
    const tables = readContent(store).map((table) =>
      table.name === "bulk.agenda" ? appendRows(table, due) : table,
    );
    const state = { takenAt: clock.now(), memory: captureMemory(engine), tables };
    const files = await Promise.all(
      jobs.unreadFiles().map(async ([job, path]) => ({ job, bytes: await readFile(path) })),
    );
    return { ...state, files };
  });
}

/**
 * Puts the sandbox into that state, and makes everything under way give up.
 *
 * @throws ClaimsError `snapshot_damaged` where the content does not fit the store; everything is as it was, but for what was
 *   under way. `snapshot_guessable` where its credentials follow from a seed, and those of this sandbox must not
 */
export async function restoreSnapshot(engine: Engine, { memory, tables, files }: Snapshot): Promise<void> {
  const { clockMover, store, clock, random, apiKeys, sinks, jobs } = engine;
  if (random.save() === null && memory.random !== null) throw guessableSnapshot();
  await clockMover.interrupt(engine.abortWork, async () => {
    const unread = await writeFiles(engine, files);
    try {
      replaceContent(store, tables);
    } catch (error) {
      await removeFiles(unread.map(([, path]) => path));
      throw damagedSnapshot((error as Error).message, error);
    }
    rebaseEndpointUrls(store, memory.url, engine.url);
    clock.restore(memory.clock);
    random.restore(memory.random);
    apiKeys.restore(memory.keys);
    engine.credentials = memory.credentials;
    sinks.restore(memory.sinks);
    await removeFiles(jobs.replaceUnreadFiles(unread));
  });
}

/** Puts the sandbox into the state of one that has just started without a snapshot. */
export async function resetToSeed(engine: Engine): Promise<void> {
  const { clockMover, store, clock, random, apiKeys, sinks, jobs } = engine;
  await clockMover.interrupt(engine.abortWork, async () => {
    clearStore(store);
    clock.restart();
    random.restart();
    apiKeys.clear();
    sinks.reset();
    engine.credentials = seed(engine);
    await removeFiles(jobs.replaceUnreadFiles([]));
  });
}

const captureMemory = ({ url, clock, random, credentials, apiKeys, sinks }: Engine): Memory => ({
  url,
  clock: clock.save(),
  random: random.save(),
  credentials,
  keys: apiKeys.save(),
  sinks: sinks.save(),
});

const appendRows = (table: TableContent, records: readonly Readonly<Record<string, string | number>>[]) => ({
  ...table,
  rows: [...table.rows, ...records.map((record) => table.columns.map((column) => record[column] ?? null))],
});

async function writeFiles(
  { uploads }: Engine,
  files: readonly UnreadFile[],
): Promise<(readonly [job: string, path: string])[]> {
  const begun: Upload[] = [];
  try {
    for (const { bytes } of files) {
      const upload = await uploads.create();
      begun.push(upload);
      await upload.write([bytes]);
    }
  } catch (error) {
    await Promise.all(begun.map((upload) => upload.discard()));
    throw error;
  }
  return begun.map((upload, index) => [files[index]?.job ?? "", upload.take()]);
}

const removeFiles = async (paths: readonly string[]): Promise<void> => {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
};

const guessableSnapshot = (): ClaimsError =>
  new ClaimsError(
    "usage",
    "snapshot_guessable",
    "the snapshot has credentials that follow from a seed, and others can reach this sandbox",
    { hint: "load it into a sandbox on loopback, or take one from a sandbox that was started with --host" },
  );
