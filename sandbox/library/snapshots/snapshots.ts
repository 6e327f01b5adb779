import { randomUUID } from "node:crypto";
import { notFoundError, rejectedError, usageError } from "../../../src/domain/errors.ts";
import { quoteValue } from "../../../src/domain/json.ts";
import type { SandboxSnapshots, SnapshotInfo, SnapshotSource } from "../../api/snapshots.ts";
import { createSemaphore } from "../../engine/concurrency.ts";
import type { Engine } from "../../engine/engine.ts";
import { formatTime } from "../../engine/scheduler/clock.ts";
import type { Scheduler } from "../../engine/scheduler/scheduler.ts";
import { findContentError } from "../../store/table-content.ts";
import { readSnapshot, writeSnapshot } from "./document.ts";
import { damagedSnapshot, resetToSeed, restoreSnapshot, type Snapshot, takeSnapshot } from "./snapshot.ts";

/** Limits the memory that they take. */
const MAX_SNAPSHOTS = 100;

const CURRENT_STATE = "now";

export interface Snapshots extends SandboxSnapshots {
  /** Restores the start or a snapshot, the fault rules of the start, and clears the rate limits and the request log. */
  reset(name?: string): Promise<void>;
  keepAsStart(): Promise<void>;
  loadFrom(document: SnapshotSource): Promise<void>;
}

export function createSnapshots(engine: Engine): Snapshots {
  const kept = new Map<string, Snapshot>();
  const mutex = createSemaphore(1);
  let start: Snapshot | null = null;

  const requireFree = (name: unknown): void => {
    if (typeof name !== "string" || !/^(?!\.\.?$)[\w.-]{1,64}$/.test(name) || name === CURRENT_STATE)
      throw usageError("option_invalid", `invalid snapshot name ${quoteValue(name)}`, {
        hint: "use 1 to 64 letters, digits, dots, - and _; now is the name of the present state",
      });
    if (kept.has(name) || kept.size < MAX_SNAPSHOTS) return;
    throw rejectedError("too_many", `there are already ${MAX_SNAPSHOTS} snapshots`, {
      hint: "remove one first, or export it to a file",
    });
  };

  const find = (name: string): Snapshot => {
    const found = kept.get(name);
    if (found) return found;
    const names = [...kept.keys()].join(", ");
    throw notFoundError("snapshot_not_found", `no snapshot ${quoteValue(name)}`, {
      hint: names === "" ? "there are no snapshots" : `the snapshots are ${names}`,
    });
  };

  const keep = (name: string, snapshot: Snapshot): SnapshotInfo => {
    // Other snapshots may have been saved meanwhile.
    requireFree(name);
    kept.set(name, snapshot);
    return toSnapshotInfo(name, snapshot);
  };

  const read = async (document: SnapshotSource): Promise<Snapshot> => {
    const snapshot = await readSnapshot(piecesOf(document));
    const reason = findContentError(snapshot.tables) ?? findUnknownTask(engine.scheduler, snapshot);
    if (reason !== null) throw damagedSnapshot(reason);
    return snapshot;
  };

  const restore = (snapshot: Snapshot) => mutex.run(() => restoreSnapshot(engine, snapshot));

  return {
    async save(name) {
      requireFree(name);
      return keep(name, await takeSnapshot(engine));
    },

    load: async (name) => restore(find(name)),

    async reset(name) {
      const snapshot = name === undefined ? start : find(name);
      if (snapshot) await restore(snapshot);
      else await mutex.run(() => resetToSeed(engine));
      engine.instanceId = randomUUID();
      forgetRequests(engine);
    },

    async keepAsStart() {
      await engine.idle.whenIdle();
      start = await takeSnapshot(engine);
      engine.faults.keepAsStart();
      forgetRequests(engine);
    },

    // The document is read first: a slow one must not keep a reset waiting.
    loadFrom: async (document) => restore(await read(document)),

    revision: () =>
      `${engine.store.countChanges()} ${JSON.stringify(engine.clock.save())} ${engine.instanceId}`,

    list: () => [...kept].map(([name, snapshot]) => toSnapshotInfo(name, snapshot)),

    remove(name) {
      find(name);
      kept.delete(name);
    },

    async export(name) {
      const snapshot = name === CURRENT_STATE ? await takeSnapshot(engine) : find(name);
      return { [Symbol.iterator]: () => writeSnapshot(snapshot) };
    },

    async import(name, document) {
      requireFree(name);
      return keep(name, await read(document));
    },
  };
}

function forgetRequests({ faults, rateLimit, recentActivity, requestLog }: Engine): void {
  faults.reset();
  rateLimit?.clear();
  requestLog.clear();
  recentActivity.clear();
}

function findUnknownTask(scheduler: Scheduler, { tables }: Snapshot): string | null {
  const found = tables.find(({ name }) => name === "bulk.agenda");
  const at = found?.columns.indexOf("kind") ?? -1;
  const unknown = found?.rows.find((row) => !scheduler.hasHandler(String(row[at])));
  return unknown ? `its agenda has a task of unknown kind ${unknown[at]}` : null;
}

const toSnapshotInfo = (name: string, { takenAt, tables }: Snapshot): SnapshotInfo => ({
  name,
  takenAt: formatTime(takenAt),
  rows: tables.reduce((sum, { rows }) => sum + rows.length, 0),
});

/** Iterating over a string would yield its characters. */
const piecesOf = (document: SnapshotSource) =>
  typeof document === "string" || ArrayBuffer.isView(document) ? [document] : document;
