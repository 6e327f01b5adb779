import { usageError } from "../../../src/domain/errors.ts";
import type { SandboxCredentials } from "../../api/sandbox.ts";
import type { Engine } from "../../engine/engine.ts";
import type { SavedRandom } from "../../engine/random.ts";
import type { SavedClock } from "../../engine/scheduler/clock.ts";
import { seedStore } from "../../engine/seed.ts";
import type { SavedSinks } from "../../engine/sinks.ts";
import type { Upload } from "../../engine/uploads.ts";
import { AGENDA, type ScheduledTask } from "../../store/agenda.ts";
import type { Credentials } from "../../store/credentials.ts";
import { rebaseEndpointUrls } from "../../store/endpoints.ts";
import { clearStore, readContent, replaceContent, type TableContent } from "../../store/table-content.ts";

export interface Memory {
  /** The base URL then: the sandbox's own endpoints contain it. */
  readonly url: string;
  readonly instanceId: string;
  readonly clock: SavedClock;
  readonly random: SavedRandom | null;
  readonly credentials: SandboxCredentials;
  readonly keys: ReturnType<Credentials["save"]>;
  readonly sinks: SavedSinks;
}

/** The whole state of the service, without the faults, the request log and the start options. */
export interface Snapshot {
  /** Milliseconds since 1970, sandbox time. */
  readonly takenAt: number;
  readonly memory: Memory;
  readonly tables: readonly TableContent[];
  readonly files: readonly { readonly job: string; readonly bytes: Uint8Array }[];
}

/** Waits for work inside the sandbox; a delivery in flight counts as not started. */
export function takeSnapshot(engine: Engine): Promise<Snapshot> {
  const { clockMover, clock, jobs } = engine;
  return clockMover.suspend(async (outgoing) => {
    const takenAt = clock.now();
    const memory = captureMemory(engine);
    const tables = readTables(engine, outgoing);
    const files = await Promise.all(
      jobs.listPendingUploads().map(async ([job, upload]) => ({ job, bytes: await upload.bytes() })),
    );
    return { takenAt, memory, tables, files };
  });
}

/** @param unfinished tasks that started, and so are on the agenda no more: whoever restores the snapshot starts them again */
function readTables({ store }: Engine, unfinished: readonly ScheduledTask[]): TableContent[] {
  const rows = unfinished.map((task) => AGENDA.toCells(task));
  return readContent(store).map((table) =>
    table.name === AGENDA.name ? { ...table, rows: [...table.rows, ...rows] } : table,
  );
}

/**
 * Restores the state, and aborts all work in progress.
 *
 * @throws ClaimsError `snapshot_invalid` if a seed determines the credentials, but those of this sandbox must be unpredictable
 */
export async function restoreSnapshot(engine: Engine, { memory, tables, files }: Snapshot): Promise<void> {
  const { clockMover, store, clock, random, apiKeys, sinks, jobs } = engine;
  if (random.save() === null && memory.random !== null) throw guessableSnapshot();
  await clockMover.replaceState(engine.abortWork, async () => {
    const uploads = await writeFiles(engine, files);
    replaceContent(store, tables);
    rebaseEndpointUrls(store, memory.url, engine.url);
    clock.restore(memory.clock);
    random.restore(memory.random);
    apiKeys.restore(memory.keys);
    engine.instanceId = memory.instanceId;
    engine.credentials = memory.credentials;
    sinks.restore(memory.sinks);
    await jobs.replacePendingUploads(uploads);
  });
}

export async function resetToSeed(engine: Engine): Promise<void> {
  const { clockMover, store, clock, random, apiKeys, sinks, jobs } = engine;
  await clockMover.replaceState(engine.abortWork, async () => {
    clearStore(store);
    clock.reset();
    random.reset();
    apiKeys.clear();
    sinks.reset();
    engine.credentials = seedStore(engine);
    await jobs.replacePendingUploads([]);
  });
}

const captureMemory = ({ url, instanceId, clock, random, credentials, apiKeys, sinks }: Engine): Memory => ({
  url,
  instanceId,
  clock: clock.save(),
  random: random.save(),
  credentials,
  keys: apiKeys.save(),
  sinks: sinks.save(),
});

async function writeFiles({ uploads }: Engine, files: Snapshot["files"]) {
  const written: (readonly [job: string, upload: Upload])[] = [];
  try {
    for (const { job, bytes } of files) {
      const upload = uploads.create().take();
      written.push([job, upload]);
      await upload.append(bytes);
      await upload.end();
    }
  } catch (error) {
    await Promise.all(written.map(([, upload]) => upload.remove()));
    throw error;
  }
  return written;
}

const guessableSnapshot = () =>
  usageError(
    "snapshot_invalid",
    "a seed determines the credentials of the snapshot, and others can reach this sandbox",
    { hint: "load it into a sandbox on loopback, or take one from a sandbox with another host" },
  );
