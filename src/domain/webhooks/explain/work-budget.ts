/** What work costs, in bytes that SHA-256 hashes in the same time (about half a nanosecond each). */
export const COST = {
  hmac: 6_000,
  byteHashed: 1,
  byteRead: 6,
  byteParsed: 25,
  /** Each byte before and after the undo of a fault. */
  byteUndone: 7,
  /** Each JSON string with a backslash, which is parsed and printed separately. */
  escapedString: 1_500,
  secret: 2_000,
} as const;

const KIB = 1 << 10;
const MIB = 1 << 20;

/** The budget for a body of that many bytes: enough for every variation of an ordinary body of up to 64 KiB. */
const maxWork = (bytes: number): number =>
  63e6 + 5_000 * Math.min(bytes, 64 * KIB) + 600 * Math.min(Math.max(bytes - 64 * KIB, 0), 2 * MIB);

/** The bound of one explanation. It counts work, not time: the same input gives the same result on every machine. */
export class WorkBudget {
  readonly #shouldStop: () => boolean;
  #left: number;
  /** False after a bound left something out. */
  isComplete = true;

  /** @param shouldStop ends the work early, for a caller with a deadline */
  constructor(bodyBytes: number, shouldStop: () => boolean = () => false) {
    this.#left = maxWork(bodyBytes);
    this.#shouldStop = shouldStop;
  }

  /** Spends the cost, or nothing and returns false if it exceeds the budget. */
  trySpend(cost: number): boolean {
    if (this.#shouldStop()) this.#left = 0;
    const isAllowed = cost <= this.#left;
    if (isAllowed) this.#left -= cost;
    else this.isComplete = false;
    return isAllowed;
  }

  /** Spends a cost that is known only after the work. */
  charge(cost: number): void {
    this.#left -= cost;
  }

  /** Records that another bound left something out. */
  markIncomplete(): void {
    this.isComplete = false;
  }
}
