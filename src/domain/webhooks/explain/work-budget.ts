/** What work costs, in bytes that SHA-256 could hash in the same time (about half a nanosecond each). */
export const COST = {
  byteHashed: 1,
  /** SHA-512 takes longer. */
  byteHashedWith512: 2.5,
  /** One HMAC, whatever its length. */
  hmac: 6_000,
  byteCopied: 1,
  /** Each byte that is looked at, or decoded. */
  byteRead: 6,
  /** Each byte of JSON that is printed. */
  bytePrinted: 6,
  /** Each token of JSON that is parsed, and what a list, a record or a key costs on top. */
  jsonToken: 50,
  jsonContainer: 400,
  jsonKey: 800,
  /** Each string of JSON with a backslash in it, which is parsed and printed by itself. */
  jsonEscapedString: 1_500,
  /** Each secret that is derived from another. */
  secret: 2_000,
} as const;

const KIB = 1 << 10;
const MIB = 1 << 20;

/** The most work for a body of that many bytes: every variation of an ordinary body of up to 64 KiB can be tried. */
export const maxWork = (bytes: number): number =>
  40e6 + 3_000 * Math.min(bytes, 64 * KIB) + 600 * Math.min(Math.max(bytes - 64 * KIB, 0), 2 * MIB);

/**
 * The bound of one explanation. It counts work instead of time, so that the same input has the same result on every
 * machine.
 */
export class WorkBudget {
  readonly #limit: number;
  readonly #shouldStop: () => boolean;
  #done = 0;
  #isStopped = false;
  #isComplete = true;

  /** @param shouldStop ends the work early, for a caller with a deadline */
  constructor(limit: number, shouldStop: () => boolean = () => false) {
    this.#limit = limit;
    this.#shouldStop = shouldStop;
  }

  /** Counts that much work as done; false where it would pass the limit, and then nothing is counted. */
  trySpend(cost: number): boolean {
    this.#isStopped ||= this.#shouldStop();
    const isAllowed = !this.#isStopped && this.#done + cost <= this.#limit;
    if (isAllowed) this.#done += cost;
    else this.#isComplete = false;
    return isAllowed;
  }

  /** Counts work whose cost shows only when it is done. */
  charge(cost: number): void {
    this.#done += cost;
  }

  /** Notes that a bound other than that of the work left something out. */
  markIncomplete(): void {
    this.#isComplete = false;
  }

  get spent(): number {
    return this.#done;
  }

  /** Whether nothing was left out. */
  get isComplete(): boolean {
    return this.#isComplete;
  }
}
