import { ClaimsError } from "../../../src/domain/errors.ts";
import { quoteValue } from "../../../src/domain/json.ts";
import type { SandboxSnapshots, SnapshotDiff, SnapshotInfo, SnapshotSource } from "../../snapshots.ts";
import { findContentError } from "../../store/content.ts";
import { formatTime } from "../clock.ts";
import type { Engine } from "../engine.ts";
import { Slots } from "../slots.ts";
import { differenceOf } from "./difference.ts";
import { damaged, readSnapshot, writeSnapshot } from "./document.ts";
import { restart, restoreSnapshot, type Snapshot, takeSnapshot } from "./snapshot.ts";

/** They are kept in memory. */
const MOST_KEPT = 100;

/** The state at this moment. */
const NOW = "now";

/** The states that a sandbox can be put into. Changes of state come one after the other. */
export class Snapshots implements SandboxSnapshots {
  readonly #engine: Engine;
  readonly #kept = new Map<string, Snapshot>();
  readonly #turns = new Slots(1);

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async save(name: string): Promise<SnapshotInfo> {
    this.#requireFree(name);
    return this.#keep(name, await takeSnapshot(this.#engine));
  }

  async load(name: string): Promise<void> {
    const snapshot = this.#find(name);
    return this.#turns.use(() => restoreSnapshot(this.#engine, snapshot));
  }

  /** Back to the seeded state, or to a snapshot; what was done to the sandbox itself is forgotten too. */
  async reset(name?: string): Promise<void> {
    const { faults, rateLimit, journal } = this.#engine;
    if (name === undefined) await this.#turns.use(() => restart(this.#engine));
    else await this.load(name);
    faults.clear();
    rateLimit?.clear();
    journal.clear();
  }

  /** Loads a document without keeping it. */
  async loadFrom(document: SnapshotSource): Promise<void> {
    // Read before it takes its turn: one that comes slowly must not keep a reset waiting.
    const snapshot = await this.#read(document);
    return this.#turns.use(() => restoreSnapshot(this.#engine, snapshot));
  }

  list(): readonly SnapshotInfo[] {
    return [...this.#kept].map(([name, snapshot]) => infoOf(name, snapshot));
  }

  async diff(from: string, to = NOW): Promise<SnapshotDiff> {
    return differenceOf(await this.#state(from), await this.#state(to));
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
    const snapshot = await readSnapshot(piecesOf(document));
    const fault = findContentError(this.#engine.store, snapshot.tables) ?? agendaFault(this.#engine, snapshot);
    if (fault !== null) throw damaged(fault);
    return snapshot;
  }

  async #state(name: string): Promise<Snapshot> {
    return name === NOW ? takeSnapshot(this.#engine) : this.#find(name);
  }

  #keep(name: string, snapshot: Snapshot): SnapshotInfo {
    // Others may have been kept while this one was taken.
    this.#requireFree(name);
    this.#kept.set(name, snapshot);
    return infoOf(name, snapshot);
  }

  #requireFree(name: unknown): void {
    if (typeof name !== "string" || !/^(?!\.\.?$)[\w.-]{1,64}$/.test(name) || name === NOW)
      throw badName(name);
    if (this.#kept.has(name) || this.#kept.size < MOST_KEPT) return;
    throw new ClaimsError("rejected", "too_many_snapshots", `${MOST_KEPT} snapshots are kept already`, {
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
function agendaFault({ agenda }: Engine, { tables }: Snapshot): string | null {
  const found = tables.find(({ name }) => name === "bulk.agenda");
  const at = found?.columns.indexOf("kind") ?? -1;
  const unknown = found?.rows.find((row) => !agenda.knows(String(row[at])));
  return unknown ? `nothing is known to do for an agenda row of kind ${unknown[at]}` : null;
}

const infoOf = (name: string, { takenAt, tables }: Snapshot): SnapshotInfo => ({
  name,
  takenAt: formatTime(takenAt),
  rows: tables.reduce((sum, { rows }) => sum + rows.length, 0),
});

const badName = (name: unknown): ClaimsError =>
  new ClaimsError("usage", "snapshot_name_invalid", `a snapshot cannot be called ${quoteValue(name)}`, {
    hint: "give it 1 to 64 letters, digits, dots, - and _; now stands for the present state",
  });

/** A whole document is one piece: its characters one by one would be very many. */
const piecesOf = (document: SnapshotSource) =>
  typeof document === "string" || ArrayBuffer.isView(document) ? [document] : document;
