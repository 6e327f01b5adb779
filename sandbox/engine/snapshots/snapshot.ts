import { readFile, rm } from "node:fs/promises";
import { ClaimsError } from "../../../src/domain/errors.ts";
import type { SandboxCredentials } from "../../options.ts";
import { readContent, clearStore, replaceContent, type TableContent } from "../../store/content.ts";
import type { Credentials } from "../../store/credentials.ts";
import { rebaseEndpointUrls } from "../../store/endpoints.ts";
import type { SavedClock } from "../clock.ts";
import type { Engine } from "../engine.ts";
import type { SavedRandom } from "../random.ts";
import { seed } from "../seed.ts";
import type { SavedSinks } from "../sink.ts";
import type { Upload } from "../uploads.ts";
import { damaged } from "./document.ts";

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
  const { agenda, clock, store, jobs } = engine;
  return agenda.pause(async (leaving) => {
    const due = leaving.map(({ seq, dueAt, kind, subject }) => ({ seq, due_at: dueAt, kind, subject }));
    const tables = readContent(store).map((table) =>
      table.name === "bulk.agenda" ? withRows(table, due) : table,
    );
    const state = { takenAt: clock.now(), memory: memoryOf(engine), tables };
    const files = await Promise.all(
      jobs.unread().map(async ([job, path]) => ({ job, bytes: await readFile(path) })),
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
  const { agenda, store, clock, random, managed, sinks, jobs } = engine;
  if (random.save() === null && memory.random !== null) throw guessable();
  await agenda.interrupt(engine.abandon, async () => {
    const unread = await written(engine, files);
    try {
      replaceContent(store, tables);
    } catch (error) {
      await remove(unread.map(([, path]) => path));
      throw damaged((error as Error).message, error);
    }
    rebaseEndpointUrls(store, memory.url, engine.url);
    clock.restore(memory.clock);
    random.restore(memory.random);
    managed.restore(memory.keys);
    engine.credentials = memory.credentials;
    sinks.restore(memory.sinks);
    await remove(jobs.replaceUnread(unread));
  });
}

/** Puts the sandbox into the state of one that has just started without a snapshot. */
export async function restart(engine: Engine): Promise<void> {
  const { agenda, store, clock, random, managed, sinks, jobs } = engine;
  await agenda.interrupt(engine.abandon, async () => {
    clearStore(store);
    clock.restart();
    random.restart();
    managed.clear();
    sinks.restart();
    engine.credentials = seed(engine);
    await remove(jobs.replaceUnread([]));
  });
}

const memoryOf = ({ url, clock, random, credentials, managed, sinks }: Engine): Memory => ({
  url,
  clock: clock.save(),
  random: random.save(),
  credentials,
  keys: managed.save(),
  sinks: sinks.save(),
});

const withRows = (table: TableContent, records: readonly Readonly<Record<string, string | number>>[]) => ({
  ...table,
  rows: [...table.rows, ...records.map((record) => table.columns.map((column) => record[column] ?? null))],
});

async function written(
  { uploads }: Engine,
  files: readonly UnreadFile[],
): Promise<(readonly [job: string, path: string])[]> {
  const begun: Upload[] = [];
  try {
    for (const { bytes } of files) {
      const upload = await uploads.begin();
      begun.push(upload);
      await upload.write([bytes]);
    }
  } catch (error) {
    await Promise.all(begun.map((upload) => upload.discard()));
    throw error;
  }
  return begun.map((upload, index) => [files[index]?.job ?? "", upload.take()]);
}

const remove = async (paths: readonly string[]): Promise<void> => {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
};

const guessable = (): ClaimsError =>
  new ClaimsError(
    "usage",
    "snapshot_guessable",
    "the snapshot has credentials that follow from a seed, and others can reach this sandbox",
    { hint: "load it into a sandbox on loopback, or take one from a sandbox that was started with --host" },
  );
