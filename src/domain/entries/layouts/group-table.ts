import { copyText } from "../csv/copy-text.ts";

/** The integer fields of a group. Its rows must agree in the first eight. */
export const FIELD = {
  entryTypeCode: 0,
  importerNumber: 1,
  entryDate: 2,
  entrySummaryDate: 3,
  liquidationStatus: 4,
  liquidationDate: 5,
  reconciliation: 6,
  protestStatus: 7,
  importerName: 8,
  portOfEntryCode: 9,
  countryOfOriginCode: 10,
  htsNumber: 11,
  chapter99Numbers: 12,
  protestNumber: 13,
  protestDecisionDate: 14,
  drawback: 15,
  warnings: 16,
  line: 17,
  rejected: 18,
  version: 19,
} as const;

export const SUM = { enteredValue: 0, ieepaDuty: 1, baseDuty: 2, otherChapter99Duty: 3 } as const;

const FIELDS = Object.keys(FIELD).length;
const SUMS = Object.keys(SUM).length;
const PAGE_BITS = 12;
const GROUPS_PER_PAGE = 1 << PAGE_BITS;

/** The fields and sums of up to a million groups (diligence-model §1): 112 bytes for each, in pages of typed arrays. */
export class GroupTable {
  size = 0;
  readonly #fields: Int32Array[] = [];
  readonly #sums: Float64Array[] = [];

  add(): number {
    if (this.size % GROUPS_PER_PAGE === 0) {
      this.#fields.push(new Int32Array(GROUPS_PER_PAGE * FIELDS));
      this.#sums.push(new Float64Array(GROUPS_PER_PAGE * SUMS));
    }
    this.size += 1;
    return this.size - 1;
  }

  get(group: number, field: number): number {
    return this.#fields[group >> PAGE_BITS]?.[(group & (GROUPS_PER_PAGE - 1)) * FIELDS + field] ?? 0;
  }

  set(group: number, field: number, value: number): void {
    const page = this.#fields[group >> PAGE_BITS];
    if (page !== undefined) page[(group & (GROUPS_PER_PAGE - 1)) * FIELDS + field] = value;
  }

  sum(group: number, sum: number): number {
    return this.#sums[group >> PAGE_BITS]?.[(group & (GROUPS_PER_PAGE - 1)) * SUMS + sum] ?? 0;
  }

  addToSum(group: number, sum: number, cents: number): void {
    const page = this.#sums[group >> PAGE_BITS];
    const at = (group & (GROUPS_PER_PAGE - 1)) * SUMS + sum;
    if (page !== undefined) page[at] = (page[at] ?? 0) + cents;
  }
}

/** Gives texts small integers, so that a typed array can store them. 0 stands for null. */
export class TextPool {
  readonly #ids = new Map<string, number>();
  readonly #texts: (string | null)[] = [null];
  #lastText: string | null = null;
  #lastId = 0;

  intern(text: string | null): number {
    if (text === this.#lastText) return this.#lastId;
    const id = text === null ? 0 : (this.#ids.get(text) ?? this.#add(text));
    this.#lastText = text;
    this.#lastId = id;
    return id;
  }

  text(id: number): string | null {
    return this.#texts[id] ?? null;
  }

  #add(text: string): number {
    const own = copyText(text);
    const id = this.#texts.length;
    this.#texts.push(own);
    this.#ids.set(own, id);
    return id;
  }
}
