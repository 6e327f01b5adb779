/** What work costs, in bytes that SHA-256 hashes in the same time (about half a nanosecond each). */
export const COST = {
  byteHashed: 1,
  byteHashedWith512: 2.5,
  hmac: 6_000,
  byteCopied: 1,
  byteRead: 6,
  bytePrinted: 6,
  /** Each byte that escapes add. */
  byteEscaped: 60,
  /** Each parsed token of JSON; a list, a record or a key costs more. */
  jsonToken: 50,
  jsonContainer: 400,
  jsonKey: 800,
  /** Each JSON string with a backslash, which is parsed and printed separately. */
  jsonEscapedString: 1_500,
  secret: 2_000,
} as const;

const KIB = 1 << 10;
const MIB = 1 << 20;

/** The budget for a body of that many bytes: enough for every variation of an ordinary body of up to 64 KiB. */
export const maxWork = (bytes: number): number =>
  63e6 + 5_000 * Math.min(bytes, 64 * KIB) + 600 * Math.min(Math.max(bytes - 64 * KIB, 0), 2 * MIB);

/** The bound of one explanation. It counts work, not time: the same input gives the same result on every machine. */
export class WorkBudget {
  readonly #limit: number;
  readonly #shouldStop: () => boolean;
  #isStopped = false;
  spent = 0;
  /** False after a bound left something out. */
  isComplete = true;

  /** @param shouldStop ends the work early, for a caller with a deadline */
  constructor(limit: number, shouldStop: () => boolean = () => false) {
    this.#limit = limit;
    this.#shouldStop = shouldStop;
  }

  /** Spends the cost, or nothing and returns false if it exceeds the budget. */
  trySpend(cost: number): boolean {
    this.#isStopped ||= this.#shouldStop();
    const isAllowed = !this.#isStopped && this.spent + cost <= this.#limit;
    if (isAllowed) this.spent += cost;
    else this.isComplete = false;
    return isAllowed;
  }

  /** Spends a cost that is known only after the work. */
  charge(cost: number): void {
    this.spent += cost;
  }

  /** Records that another bound left something out. */
  markIncomplete(): void {
    this.isComplete = false;
  }
}
