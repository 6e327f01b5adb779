import { expect, it } from "vitest";
import { formatDay, parseIsoDay } from "../../../../../src/domain/entries/dates.ts";
import { EntryFileError } from "../../../../../src/domain/entries/entry-file-error.ts";
import { computeCheckDigit } from "../../../../../src/domain/entries/rules/entry-number.ts";
import { RandomNumbers } from "../../../../../src/domain/random-numbers.ts";
import { quoteCsvCell } from "../../../../../src/domain/text.ts";
import { readEntryFile } from "../../../../support/read-entry-file.ts";

/** `.ci/long` reads 100,000. */
const ENTRIES = Number(process.env.CLAIMS_TEST_RANDOM_ENTRIES ?? 1_000);
const SEED = Number(process.env.CLAIMS_TEST_RANDOM_SEED ?? 53);

/** What is true about an entry, whatever a file looks like. Amounts are cents. */
interface Truth {
  readonly number: string;
  readonly type: string;
  readonly country: string;
  readonly entryDate: string;
  readonly summaryDate: string;
  readonly liquidationDate: string | null;
  readonly isReconciled: boolean;
  readonly hasDrawback: boolean;
  /** The goods of the entry, each with the duty of the voided tariffs. */
  readonly lines: readonly { readonly valueCents: number; readonly dutyCents: number }[];
}

type Row = Readonly<Record<string, string>>;

/** Faults of a file that are made on purpose, most of them in each layout. It must be refused, or read right all the same. */
const COMMON_FAULTS = ["day first", "two orders", "pasted twice", "an entry pasted twice", "quote"] as const;
const FAULTS = [...COMMON_FAULTS, "lines", "key once", "versions"] as const;

type Fault = (typeof FAULTS)[number] | "none";

const AS_OF = parseIsoDay("2026-11-20") ?? 0;

/** How one export prints its cells. */
interface Clothes {
  readonly date: (iso: string) => string;
  readonly number: (number: string) => string;
  readonly money: (cents: number) => string;
  readonly flag: (isSet: boolean) => string;
  readonly code: (text: string) => string;
  readonly status: (isLiquidated: boolean) => string;
  readonly ordinal: (number: number) => string;
}

class FileMaker {
  readonly random: RandomNumbers;
  readonly layout: "entry" | "es003";
  readonly fault: Fault;
  readonly truths: readonly Truth[];
  readonly text: string;
  readonly #hasOrdinals: boolean;
  // Dates of two forms in one column may have been swapped by a spreadsheet: such a file may be refused.
  readonly #dateForm: "iso" | "us";
  readonly #padsDates: boolean;

  constructor(seed: string, firstSerial: number) {
    const random = RandomNumbers.fromKey(seed);
    this.random = random;
    this.layout = random.pick(["entry", "es003"] as const);
    this.#hasOrdinals = this.layout === "es003" && random.integerBelow(3) > 0;
    this.#dateForm = random.pick(["iso", "us"]);
    this.#padsDates = this.#maybe();
    const own = this.layout === "entry" ? (["lines"] as const) : (["key once", "versions"] as const);
    this.fault = random.pick<Fault>(["none", "none", "none", ...COMMON_FAULTS, ...own]);
    const count = random.integerBetween(6, 12);
    this.truths = Array.from({ length: count }, (_, at) => this.#makeTruth(firstSerial + at, at));
    this.text = this.#print();
  }

  #maybe(): boolean {
    return this.random.integerBelow(2) === 0;
  }

  /** Whether the entry is in an export that prints the day first. */
  #isDayFirst(index: number): boolean {
    return this.fault === "day first" || (this.fault === "two orders" && index % 2 === 1);
  }

  #makeTruth(serial: number, index: number): Truth {
    const { random } = this;
    const filer = random.pick(["BND", "ZZ9", "001", "9TQ", "SP7"]);
    const body = `${filer}${String(serial).padStart(7, "0")}`;
    const entryDay = random.integerBetween(parseIsoDay("2025-02-10") ?? 0, parseIsoDay("2026-02-01") ?? 0);
    const summaryDay = entryDay + random.integerBetween(0, 15);
    const isLiquidated = this.#maybe();
    return {
      number: body + computeCheckDigit(body),
      type: random.pick(["01", "02", "06", "11"]),
      country: random.pick(["CN", "VN", "TW", "MX"]),
      entryDate: formatDay(entryDay),
      summaryDate: this.#isDayFirst(index) ? moveDay(formatDay(summaryDay), index) : formatDay(summaryDay),
      liquidationDate: isLiquidated ? formatDay(random.integerBetween(entryDay + 100, AS_OF)) : null,
      isReconciled: this.#maybe(),
      hasDrawback: random.integerBelow(4) === 0,
      lines: Array.from({ length: random.integerBetween(1, 3) }, () => ({
        valueCents: random.integerBetween(1, 500_000_000),
        dutyCents: random.pick([
          0,
          random.integerBetween(1, 9_999),
          random.integerBetween(10_000, 90_000_000),
        ]),
      })),
    };
  }

  #print(): string {
    const { fault, truths } = this;
    let rows = this.#shuffle(
      truths.map((truth, index) => this.#printEntry(truth, this.#chooseClothes(this.#isDayFirst(index)))),
    );
    if (fault === "pasted twice")
      rows = [...rows, ...truths.map((truth) => this.#printEntry(truth, this.#chooseClothes()))];
    const whole = truths.find(({ lines }) => lines.length > 1);
    if (fault === "an entry pasted twice" && whole) rows.push(this.#printEntry(whole, this.#chooseClothes()));
    const flat =
      this.layout === "es003" && fault !== "key once" && this.#maybe()
        ? this.#shuffle(rows.flat())
        : rows.flat();
    return this.#printTable(fault === "quote" ? this.#swallow(flat) : flat);
  }

  #shuffle<T>(list: readonly T[]): T[] {
    return list
      .map((item) => [this.random.integerBelow(1_000_000), item] as const)
      .sort(([one], [other]) => one - other)
      .map(([, item]) => item);
  }

  #chooseClothes(isDayFirst = false): Clothes {
    const { random } = this;
    const day = (iso: string) => {
      const [year = "", month = "", date = ""] = iso.split("-");
      const parts = [month, date].map((part) => (this.#padsDates ? part : String(Number(part))));
      return { iso, us: `${parts.join("/")}/${year}`, dayFirst: `${parts.reverse().join("/")}/${year}` };
    };
    const form = isDayFirst ? "dayFirst" : this.#dateForm;
    const midnight = random.pick(["", "", " 00:00", " 0:00:00", " 12:00:00 AM", " 12:00 a.m."]);
    const space = random.pick(["", " ", "\u00a0", "  "]);
    const dash = random.pick(["", "-", "\u2013", " ", "\u2011"]);
    const group = random.pick(["", ","]);
    const dollar = random.pick(["", "$", "$ "]);
    const isLower = this.#maybe();
    const letterCase = (text: string) => (isLower ? text.toLowerCase() : text);
    return {
      date: (iso: string) => day(iso)[form] + midnight,
      number: (number: string) =>
        random.integerBelow(20) === 0
          ? `="${number}"`
          : space +
            letterCase(`${number.slice(0, 3)}${dash}${number.slice(3, 10)}${dash}${number.slice(10)}`) +
            space,
      money: (cents: number) => {
        if (cents === 0 && this.#maybe()) return random.pick(["-", "$-", "0", "$0.00"]);
        const [whole = "", decimals = ""] = (cents / 100).toFixed(2).split(".");
        const short = decimals.endsWith("0") && this.#maybe() ? decimals.slice(0, -1) : decimals;
        return `${dollar}${whole.replace(/\B(?=(\d{3})+$)/g, group)}.${short}${space}`;
      },
      flag: (isSet: boolean) =>
        isSet
          ? random.pick(["Y", "yes", "TRUE", "t", "1", "X", "Yes.", "y see memo"])
          : random.pick(["N", "no", "False", "f", "0", "", " "]),
      code: (text: string) => letterCase(text) + space,
      status: (isLiquidated: boolean) =>
        isLiquidated
          ? random.pick(["LIQUIDATED", "Liquidated", "closed"])
          : random.pick(["NOT_LIQUIDATED", "Not Liquidated", "unliquidated", "Open"]),
      ordinal: (number: number) => random.pick([String(number), `0${number}`, `${number}.0`]),
    };
  }

  #printEntry(truth: Truth, print: Clothes): Row[] {
    const { fault, layout } = this;
    const shared = {
      entry_number: print.number(truth.number),
      entry_type_code: truth.type,
      importer_number: "12-3456789",
      importer_name: "Harbor & Pine Trading LLC",
      entry_date: print.date(truth.entryDate),
      entry_summary_date: print.date(truth.summaryDate),
      country_of_origin_code: print.code(truth.country),
      liquidation_status: print.status(truth.liquidationDate !== null),
      liquidation_date: truth.liquidationDate === null ? "" : print.date(truth.liquidationDate),
      reconciliation_indicator: print.flag(truth.isReconciled),
      drawback_indicator: print.flag(truth.hasDrawback),
      memo: this.random.pick(["", "a, b", "two\nlines", 'say "x"']),
    };
    const sum = (field: "valueCents" | "dutyCents") =>
      truth.lines.reduce((total, line) => total + line[field], 0);
    if (layout === "entry") {
      const amounts = (valueCents: number, dutyCents: number) => ({
        entered_value: print.money(valueCents),
        ieepa_duty_paid: print.money(dutyCents),
      });
      if (fault !== "lines") return [{ ...shared, ...amounts(sum("valueCents"), sum("dutyCents")) }];
      return truth.lines.map((line) => ({ ...shared, ...amounts(line.valueCents, line.dutyCents) }));
    }
    const rows = truth.lines.flatMap(({ valueCents, dutyCents }, at) =>
      [
        {
          hts_number: this.random.pick(["99030125", "9903.01.25"]),
          entered_value: print.money(0),
          line_duty: print.money(dutyCents),
        },
        {
          hts_number: `85076000${10 + at}`,
          entered_value: print.money(valueCents),
          line_duty: print.money(0),
        },
      ].map((own, ordinal): Row => {
        const numbers = {
          entry_summary_line_number: print.ordinal(at + 1),
          tariff_ordinal_number: print.ordinal(ordinal + 1),
        };
        return { ...shared, ...own, ...(this.#hasOrdinals && numbers) };
      }),
    );
    if (fault === "versions") {
      const version = (number: string) =>
        rows.map((row) => ({ ...row, entry_summary_version_number: number }));
      return truth === this.truths[0] ? [...version("1"), ...version("2")] : version("1");
    }
    return fault === "key once" ? rows.map((row, at) => (at === 0 ? row : { ...row, ...KEY_ONCE })) : rows;
  }

  /** A quote before one name, and one after another. */
  #swallow(rows: readonly Row[]): Row[] {
    const first = this.random.integerBelow(rows.length - 1);
    const last = this.random.integerBetween(first + 1, rows.length - 1);
    return rows.map((row, at) => {
      const plain = { ...row, memo: "" };
      if (at === first) return { ...plain, importer_name: `${OPEN}Ace Trading` };
      return at === last ? { ...plain, importer_name: `Bay Trading${OPEN}` } : plain;
    });
  }

  #printTable(rows: readonly Row[]): string {
    const { random } = this;
    const names = this.#shuffle([...new Set(rows.flatMap(Object.keys))]);
    const heading = (name: string) => {
      const text = random.pick([name, ...(SYNONYMS[name] ?? [])]);
      return random.pick([text, text.toUpperCase(), text.replaceAll("_", " "), ` ${text} `]);
    };
    const lineEnd = random.pick(["\n", "\r\n"]);
    const quotesAll = this.fault !== "quote" && this.#maybe();
    const print = (cells: readonly string[]) =>
      cells
        .map((cell) =>
          (quotesAll ? `"${cell.replaceAll('"', '""')}"` : quoteCsvCell(cell)).replaceAll(OPEN, '"'),
        )
        .join(",");
    const lines = [names.map(heading), ...rows.map((row) => names.map((name) => row[name] ?? ""))].map(print);
    const blank = random.pick(["", lineEnd, ",".repeat(names.length - 1) + lineEnd]);
    return random.pick(["", "\ufeff"]) + lines.join(lineEnd) + lineEnd + blank;
  }
}

/**
 * The first two dates of an export with the day first prove it, and the third can be read in both orders: the rules need
 * so much in one column (diligence-model §1, *Columns that say how they are meant*).
 */
function moveDay(date: string, index: number): string {
  const day = index < 4 ? "13" : date.includes("-12-") ? "11" : "12";
  return date.replace(/\d\d$/, day);
}

/** Stands for a quote that is not doubled. */
const OPEN = "\u0001";

const KEY_ONCE = Object.fromEntries(
  ["entry_number", "entry_type_code", "importer_number", "entry_date", "entry_summary_date"].map((name) => [
    name,
    "",
  ]),
);

const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  entry_number: ["Entry Summary Number", "Entry No"],
  entry_type_code: ["Entry Type"],
  importer_number: ["IOR Number"],
  country_of_origin_code: ["COO", "Country of Origin"],
  entered_value: ["Goods Value"],
  ieepa_duty_paid: ["IEEPA Duty"],
  line_duty: ["Line Duty Amount", "Line Tariff Amount"],
  hts_number: ["HTS Number - Full", "HTS Code"],
  memo: ["Broker Memo"],
};

/** Null if the file is refused. */
function read(text: string) {
  try {
    const { entries, report } = readEntryFile(text);
    if (report.fileWarnings.some(({ severity }) => severity === "stop")) return null;
    return { entries, rejected: report.totals.entriesRejected };
  } catch (error) {
    if (error instanceof EntryFileError) return null;
    throw error;
  }
}

const describeTruth = ({ lines, ...truth }: Truth) => ({
  entryNumber: truth.number,
  entryTypeCode: truth.type,
  countryOfOriginCode: truth.country,
  entryDate: truth.entryDate,
  summaryDate: truth.summaryDate,
  liquidationDate: truth.liquidationDate,
  status: truth.liquidationDate === null ? "NOT_LIQUIDATED" : "LIQUIDATED",
  reconciliation: truth.isReconciled,
  drawback: truth.hasDrawback,
  enteredValueCents: lines.reduce((sum, { valueCents }) => sum + valueCents, 0),
  ieepaDutyCents: lines.reduce((sum, { dutyCents }) => sum + dutyCents, 0),
});

it(`no entry of ${ENTRIES} in random clothes is read silently wrong`, { timeout: 3_600_000 }, () => {
  const outcomes = new Map<string, { files: number; refused: number; rejected: number }>();
  for (let done = 0, file = 0; done < ENTRIES; file += 1) {
    const maker = new FileMaker(`${SEED}/${file}`, done % 9_000_000);
    done += maker.truths.length;
    const outcome = outcomes.get(maker.fault) ?? { files: 0, refused: 0, rejected: 0 };
    outcomes.set(maker.fault, outcome);
    outcome.files += 1;
    const result = read(maker.text);
    if (result === null) {
      outcome.refused += 1;
      continue;
    }
    outcome.rejected += result.rejected;
    const truths = new Map(maker.truths.map((truth) => [truth.number, describeTruth(truth)]));
    const found = result.entries.map(({ entry }) => ({
      entryNumber: entry.entryNumber,
      entryTypeCode: entry.entryTypeCode,
      countryOfOriginCode: entry.countryOfOriginCode,
      entryDate: formatDay(entry.entryDate),
      summaryDate: formatDay(entry.entrySummaryDate ?? 0),
      liquidationDate: entry.liquidationDate === null ? null : formatDay(entry.liquidationDate),
      status: entry.liquidationStatus,
      reconciliation: entry.reconciliation,
      drawback: entry.drawback,
      enteredValueCents: entry.enteredValueCents,
      ieepaDutyCents: entry.ieepaDutyCents,
    }));
    const what = `seed ${SEED}, file ${file}, ${maker.layout}, ${maker.fault}:\n${maker.text}`;
    expect(found, what).toEqual(found.map(({ entryNumber }) => truths.get(entryNumber)));
    // What is not accepted is rejected, and so in the report; a file without a fault is accepted as a whole.
    expect(found.length + result.rejected, what).toBeGreaterThanOrEqual(truths.size);
    if (maker.fault === "none") expect([found.length, result.rejected], what).toEqual([truths.size, 0]);
  }
  expect(outcomes.get("none")).toMatchObject({ refused: 0, rejected: 0 });
  for (const fault of FAULTS)
    expect([fault, (outcomes.get(fault)?.refused ?? 0) + (outcomes.get(fault)?.rejected ?? 0) > 0]).toEqual([
      fault,
      true,
    ]);
});
