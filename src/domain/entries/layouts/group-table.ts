const PAGE_BITS = 12;
const GROUPS_PER_PAGE = 1 << PAGE_BITS;

/**
 * The fields and sums of up to a million groups (diligence-model §1). Typed arrays instead of an object per group save
 * memory, and growing by pages copies nothing.
 */
export class GroupTable {
  size = 0;
  readonly #fieldCount: number;
  readonly #sumCount: number;
  readonly #fields: Int32Array[] = [];
  readonly #sums: Float64Array[] = [];

  constructor(fieldCount: number, sumCount: number) {
    this.#fieldCount = fieldCount;
    this.#sumCount = sumCount;
  }

  /** Adds a group of zeros and returns its index. */
  add(): number {
    if (this.size % GROUPS_PER_PAGE === 0) {
      this.#fields.push(new Int32Array(GROUPS_PER_PAGE * this.#fieldCount));
      this.#sums.push(new Float64Array(GROUPS_PER_PAGE * this.#sumCount));
    }
    this.size += 1;
    return this.size - 1;
  }

  get(group: number, field: number): number {
    return (
      this.#fields[group >> PAGE_BITS]?.[(group & (GROUPS_PER_PAGE - 1)) * this.#fieldCount + field] ?? 0
    );
  }

  set(group: number, field: number, value: number): void {
    const page = this.#fields[group >> PAGE_BITS];
    if (page !== undefined) page[(group & (GROUPS_PER_PAGE - 1)) * this.#fieldCount + field] = value;
  }

  sum(group: number, sum: number): number {
    return this.#sums[group >> PAGE_BITS]?.[(group & (GROUPS_PER_PAGE - 1)) * this.#sumCount + sum] ?? 0;
  }

  addToSum(group: number, sum: number, cents: number): void {
    const page = this.#sums[group >> PAGE_BITS];
    const at = (group & (GROUPS_PER_PAGE - 1)) * this.#sumCount + sum;
    if (page !== undefined) page[at] = (page[at] ?? 0) + cents;
  }
}
