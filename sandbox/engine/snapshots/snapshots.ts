import { notFoundError, rejectedError, usageError } from "../../../src/domain/errors.ts";
import { quoteValue } from "../../../src/domain/json.ts";
import type { SandboxSnapshots, SnapshotDiff, SnapshotInfo, SnapshotSource } from "../../api/snapshots.ts";
import { findContentError } from "../../store/table-content.ts";
import { createSemaphore } from "../concurrency.ts";
import type { Engine } from "../engine.ts";
import { formatTime } from "../scheduler/clock.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import { compareSnapshots } from "./compare.ts";
import { damagedSnapshot, readSnapshot, writeSnapshot } from "./document.ts";
import { resetToSeed, restoreSnapshot, type Snapshot, takeSnapshot } from "./snapshot.ts";

/** Limits the memory that they take. */
const MAX_SNAPSHOTS = 100;

/** The name of the present state. */
const CURRENT_STATE = "now";

/** Saves and restores states of the service, one restore at a time. */
export class Snapshots implements SandboxSnapshots {
  readonly #engine: Engine;
  readonly #kept = new Map<string, Snapshot>();
  readonly #mutex = createSemaphore(1);

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async save(name: string): Promise<SnapshotInfo> {
    this.#requireFree(name);
    return this.#keep(name, await takeSnapshot(this.#engine));
  }

  async load(name: string): Promise<void> {
    const snapshot = this.#find(name);
    return this.#mutex.run(() => restoreSnapshot(this.#engine, snapshot));
  }

  /** Restores the seeded state or a snapshot, and clears the faults, the rate limits and the request log. */
  async reset(name?: string): Promise<void> {
    const { faults, rateLimit, requestLog } = this.#engine;
    if (name === undefined) await this.#mutex.run(() => resetToSeed(this.#engine));
    else await this.load(name);
    faults.clear();
    rateLimit?.clear();
    requestLog.clear();
  }

  async loadFrom(document: SnapshotSource): Promise<void> {
    // Read first: a slow document must not keep a reset waiting.
    const snapshot = await this.#read(document);
    return this.#mutex.run(() => restoreSnapshot(this.#engine, snapshot));
  }

  list(): readonly SnapshotInfo[] {
    return [...this.#kept].map(([name, snapshot]) => toSnapshotInfo(name, snapshot));
  }

  async diff(from: string, to = CURRENT_STATE): Promise<SnapshotDiff> {
    return compareSnapshots(await this.#state(from), await this.#state(to));
  }

  remove(name: string): void {
    this.#find(name);
    this.#kept.delete(name);
  }

  async export(name: string): Promise<Iterable<string>> {
    return writeSnapshot(await this.#state(name));
  }

  async import(name: string, document: SnapshotSource): Promise<SnapshotInfo> {
    this.#requireFree(name);
    return this.#keep(name, await this.#read(document));
  }

  async #read(document: SnapshotSource): Promise<Snapshot> {
    const snapshot = await readSnapshot(toPieces(document));
    const reason = findContentError(snapshot.tables) ?? findUnknownTask(this.#engine.scheduler, snapshot);
    if (reason !== null) throw damagedSnapshot(reason);
    return snapshot;
  }

  async #state(name: string): Promise<Snapshot> {
    return name === CURRENT_STATE ? takeSnapshot(this.#engine) : this.#find(name);
  }

  #keep(name: string, snapshot: Snapshot): SnapshotInfo {
    // Other snapshots may have been saved meanwhile.
    this.#requireFree(name);
    this.#kept.set(name, snapshot);
    return toSnapshotInfo(name, snapshot);
  }

  #requireFree(name: unknown): void {
    if (typeof name !== "string" || !/^(?!\.\.?$)[\w.-]{1,64}$/.test(name) || name === CURRENT_STATE)
      throw usageError("snapshot_name_invalid", `invalid snapshot name ${quoteValue(name)}`, {
        hint: "use 1 to 64 letters, digits, dots, - and _; now is the name of the present state",
      });
    if (this.#kept.has(name) || this.#kept.size < MAX_SNAPSHOTS) return;
    throw rejectedError("too_many_snapshots", `there are already ${MAX_SNAPSHOTS} snapshots`, {
      hint: "remove one first, or export it to a file",
    });
  }

  #find(name: string): Snapshot {
    const found = this.#kept.get(name);
    if (found) return found;
    const names = [...this.#kept.keys()].join(", ");
    throw notFoundError("snapshot_not_found", `no snapshot ${quoteValue(name)}`, {
      hint: names === "" ? "there are no snapshots" : `the snapshots are ${names}`,
    });
  }
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
const toPieces = (document: SnapshotSource) =>
  typeof document === "string" || ArrayBuffer.isView(document) ? [document] : document;
