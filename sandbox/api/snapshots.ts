import type * as schemas from "../../src/contract/control-responses.ts";
import type { ReadonlyStatic } from "../../src/contract/schemas.ts";

export type SnapshotInfo = ReadonlyStatic<typeof schemas.snapshotInfo>;

/**
 * States of the service: saved in memory under a name, or as a document that another sandbox can load. A snapshot contains
 * the secrets of the sandbox. The name `now` is the present state.
 */
export interface SandboxSnapshots {
  /** Waits for running work. A delivery in flight counts as one that has not begun. */
  save(name: string): Promise<SnapshotInfo>;
  /**
   * Restores a state and aborts running work. A frozen clock stands where it stood; a running one keeps its distance to the
   * wall clock. Faults and the request log stay.
   */
  load(name: string): Promise<void>;
  /** A text that changes with the present state: compare it to learn whether a save is due. */
  revision(): string;
  list(): readonly SnapshotInfo[];
  remove(name: string): void;
  /**
   * The chunks of a document:
   * `writeFile(path, await sandbox.snapshots.export("now"), { mode: 0o600 })`.
   */
  export(name: string): Promise<Iterable<string>>;
  /** Saves a document under a name, without loading it. */
  import(name: string, document: SnapshotSource): Promise<SnapshotInfo>;
}

/** A document of a snapshot: a stream, its chunks, or the whole. */
export type SnapshotSource =
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>
  | Uint8Array
  | string;
