import { randomUUID } from "node:crypto";
import { notFoundError, usageError } from "../../../src/domain/errors.ts";
import { quoteValue } from "../../../src/domain/json.ts";
import { createLimit } from "../../../src/domain/limit.ts";
import type { SandboxSnapshots, SnapshotInfo, SnapshotSource } from "../../api/snapshots.ts";
import type { Engine } from "../../engine/engine.ts";
import { formatTime } from "../../engine/scheduler/clock.ts";
import { readSnapshot, writeSnapshot } from "./document.ts";
import { resetToSeed, restoreSnapshot, type Snapshot, takeSnapshot } from "./snapshot.ts";

const CURRENT_STATE = "now";

export interface Snapshots extends SandboxSnapshots {
  /** Restores the seeded state or a snapshot, and clears the fault rules, the rate limits and the request log. */
  reset(name?: string): Promise<void>;
  loadFrom(document: SnapshotSource): Promise<void>;
}

export function createSnapshots(engine: Engine): Snapshots {
  const saved = new Map<string, Snapshot>();
  const mutex = createLimit(1);

  const requireValidName = (name: unknown): void => {
    if (typeof name !== "string" || !/^(?!\.\.?$)[\w.-]{1,64}$/.test(name) || name === CURRENT_STATE)
      throw usageError("option_invalid", `invalid snapshot name ${quoteValue(name)}`, {
        hint: "use 1 to 64 letters, digits, dots, - and _; now is the name of the present state",
      });
  };

  const find = (name: string): Snapshot => {
    const found = saved.get(name);
    if (found) return found;
    const names = [...saved.keys()].join(", ");
    throw notFoundError("snapshot_not_found", `no snapshot ${quoteValue(name)}`, {
      hint: names === "" ? "there are no snapshots" : `the snapshots are ${names}`,
    });
  };

  const add = (name: string, snapshot: Snapshot): SnapshotInfo => {
    saved.set(name, snapshot);
    return toSnapshotInfo(name, snapshot);
  };

  const restore = (snapshot: Snapshot) => mutex(() => restoreSnapshot(engine, snapshot));

  return {
    async save(name) {
      requireValidName(name);
      return add(name, await takeSnapshot(engine));
    },

    load: async (name) => restore(find(name)),

    async reset(name) {
      if (name === undefined) await mutex(() => resetToSeed(engine));
      else await restore(find(name));
      engine.instanceId = randomUUID();
      forgetRequests(engine);
    },

    // The document is read first: a slow one must not keep a reset waiting.
    loadFrom: async (document) => restore(await readSnapshot(piecesOf(document))),

    revision: () =>
      `${engine.store.countChanges()} ${JSON.stringify(engine.clock.save())} ${engine.instanceId}`,

    list: () => [...saved].map(([name, snapshot]) => toSnapshotInfo(name, snapshot)),

    remove(name) {
      find(name);
      saved.delete(name);
    },

    async export(name) {
      const snapshot = name === CURRENT_STATE ? await takeSnapshot(engine) : find(name);
      return { [Symbol.iterator]: () => writeSnapshot(snapshot) };
    },

    async import(name, document) {
      requireValidName(name);
      return add(name, await readSnapshot(piecesOf(document)));
    },
  };
}

function forgetRequests({ faults, rateLimit, recentActivity, requestLog }: Engine): void {
  faults.reset();
  rateLimit?.clear();
  requestLog.clear();
  recentActivity.clear();
}

const toSnapshotInfo = (name: string, { takenAt, tables }: Snapshot): SnapshotInfo => ({
  name,
  takenAt: formatTime(takenAt),
  rows: tables.reduce((sum, { rows }) => sum + rows.length, 0),
});

/** Iterating over a string would yield its characters. */
const piecesOf = (document: SnapshotSource) =>
  typeof document === "string" || ArrayBuffer.isView(document) ? [document] : document;
