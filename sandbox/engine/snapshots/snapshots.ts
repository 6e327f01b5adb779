import { ClaimsError } from "../../../src/domain/errors.ts";
import { quoteValue } from "../../../src/domain/json.ts";
import type { SandboxSnapshots, SnapshotDiff, SnapshotInfo, SnapshotSource } from "../../api/snapshots.ts";
import { findContentError } from "../../store/table-content.ts";
import type { Engine } from "../engine.ts";
import { formatTime } from "../scheduler/clock.ts";
import { Semaphore } from "../semaphore.ts";
import { compareSnapshots } from "./compare.ts";
import { damagedSnapshot, readSnapshot, writeSnapshot } from "./document.ts";
import { resetToSeed, restoreSnapshot, type Snapshot, takeSnapshot } from "./snapshot.ts";

/** They are kept in memory. */
const MAX_SNAPSHOTS = 100;

/** The state at this moment. */
const CURRENT_STATE = "now";

/** The states that a sandbox can be put into. Changes of state come one after the other. */
export class Snapshots implements SandboxSnapshots {
  readonly #engine: Engine;
  readonly #kept = new Map<string, Snapshot>();
  readonly #mutex = new Semaphore(1);

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

  /** Back to the seeded state, or to a snapshot; what was done to the sandbox itself is forgotten too. */
  async reset(name?: string): Promise<void> {
    const { faults, rateLimit, requestLog } = this.#engine;
    if (name === undefined) await this.#mutex.run(() => resetToSeed(this.#engine));
    else await this.load(name);
    faults.clear();
    rateLimit?.clear();
    requestLog.clear();
  }

  /** Loads a document without keeping it. */
  async loadFrom(document: SnapshotSource): Promise<void> {
    // Read before it takes its turn: one that comes slowly must not keep a reset waiting.
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
    const fault =
      findContentError(this.#engine.store, snapshot.tables) ?? findUnknownTask(this.#engine, snapshot);
    if (fault !== null) throw damagedSnapshot(fault);
    return snapshot;
  }

  async #state(name: string): Promise<Snapshot> {
    return name === CURRENT_STATE ? takeSnapshot(this.#engine) : this.#find(name);
  }

  #keep(name: string, snapshot: Snapshot): SnapshotInfo {
    // Others may have been kept while this one was taken.
    this.#requireFree(name);
    this.#kept.set(name, snapshot);
    return toSnapshotInfo(name, snapshot);
  }

  #requireFree(name: unknown): void {
    if (typeof name !== "string" || !/^(?!\.\.?$)[\w.-]{1,64}$/.test(name) || name === CURRENT_STATE)
      throw invalidName(name);
    if (this.#kept.has(name) || this.#kept.size < MAX_SNAPSHOTS) return;
    throw new ClaimsError("rejected", "too_many_snapshots", `${MAX_SNAPSHOTS} snapshots are kept already`, {
      hint: "remove one first, or export it to a file",
    });
  }

  #find(name: string): Snapshot {
    const found = this.#kept.get(name);
    if (found) return found;
    const names = [...this.#kept.keys()].join(", ");
    throw new ClaimsError("not_found", "snapshot_not_found", `there is no snapshot ${quoteValue(name)}`, {
      hint: names === "" ? "none is kept" : `those kept are ${names}`,
    });
  }
}

/** What nobody could do when it falls due. */
function findUnknownTask({ scheduler }: Engine, { tables }: Snapshot): string | null {
  const found = tables.find(({ name }) => name === "bulk.agenda");
  const at = found?.columns.indexOf("kind") ?? -1;
  const unknown = found?.rows.find((row) => !scheduler.hasHandler(String(row[at])));
  return unknown ? `nothing is known to do for an scheduler row of kind ${unknown[at]}` : null;
}

const toSnapshotInfo = (name: string, { takenAt, tables }: Snapshot): SnapshotInfo => ({
  name,
  takenAt: formatTime(takenAt),
  rows: tables.reduce((sum, { rows }) => sum + rows.length, 0),
});

const invalidName = (name: unknown): ClaimsError =>
  new ClaimsError("usage", "snapshot_name_invalid", `a snapshot cannot be called ${quoteValue(name)}`, {
    hint: "give it 1 to 64 letters, digits, dots, - and _; now stands for the present state",
  });

/** A whole document is one piece: its characters one by one would be very many. */
const toPieces = (document: SnapshotSource) =>
  typeof document === "string" || ArrayBuffer.isView(document) ? [document] : document;
