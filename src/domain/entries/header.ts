import { findClosest, joinFirst } from "../text.ts";
import {
  COLUMNS,
  type ColumnName,
  type EntryColumn,
  findColumn,
  findOtherMeaning,
  isEs003Header,
  isUnusedEs003Header,
  normalizeHeader,
} from "./columns.ts";
import { copyText } from "./csv/copy-text.ts";
import type { Layout } from "./entry.ts";
import { delimiterError, EntryFileError } from "./entry-file-error.ts";
import type { FileWarning } from "./file-warnings.ts";
import { showHidden } from "./rules/hidden-characters.ts";

export interface LocatedColumn extends EntryColumn {
  readonly index: number;
  /** The heading in the words of the file. */
  readonly heading: string;
  readonly isRequired: boolean;
}

/** An unknown column. Its cells go to `extra` under `name`. */
export interface ExtraColumn {
  readonly name: string;
  readonly index: number;
}

export interface Header {
  readonly layout: Layout;
  /** The number of cells that every record must have. */
  readonly width: number;
  readonly columns: readonly LocatedColumn[];
  readonly extras: readonly ExtraColumn[];
  /** Second headings of located columns, which are not read. */
  readonly duplicateColumns: readonly DuplicateColumn[];
  readonly fileWarnings: readonly FileWarning[];
}

export interface DuplicateColumn {
  readonly column: LocatedColumn;
  readonly index: number;
  /** The heading in the words of the file. */
  readonly heading: string;
}

/** So many headings of ES-003 alone make a file an ES-003 export. */
const MIN_ES003_HEADINGS = 3;

/** The first unknown headings, which a warning names. */
const MAX_NAMED_HEADINGS = 100;

/** Those that an error names. */
const MAX_UNREAD_HEADINGS = 10;

/** A shorter heading is close to too many others. */
const MIN_COMPARED_LENGTH = 4;

/** Reads the header record. Throws DELIMITER_UNSUPPORTED, HEADER_DUPLICATE or REQUIRED_COLUMN_MISSING. */
export function readHeader(cells: readonly string[]): Header {
  checkDelimiter(cells);
  const names = cells.map(normalizeHeader);
  const { layout, reason } = recognizeLayout(new Set(names));
  const known = COLUMNS.filter((column) => column.onlyIn === null || column.onlyIn === layout);
  checkDuplicates(known, names, cells);
  const columns = known.flatMap((column): LocatedColumn[] => {
    const alias = column.aliases.find((each) => names.includes(each));
    if (alias === undefined) return [];
    const index = names.indexOf(alias);
    const heading = copyText(cells[index]?.trim() ?? "");
    return [{ ...column, index, heading, isRequired: column.requiredIn.includes(layout) }];
  });
  const present = new Set(columns.map(({ name }) => name));
  checkRequired(cells, known, present, layout, reason);
  return {
    layout,
    width: cells.length,
    columns,
    extras: nameExtras(cells, new Set(columns.map(({ index }) => index))),
    duplicateColumns: names.flatMap((name, index) => {
      // pandas, R and Power Query number a heading that stands twice.
      const unnumbered = name.replace(/_\d{1,2}$/, "");
      const isName = (alias: string) => alias === name || alias === unnumbered;
      const column = columns.find((each) => each.index !== index && each.aliases.some(isName));
      return column ? [{ column, index, heading: copyText(cells[index]?.trim() ?? "") }] : [];
    }),
    fileWarnings: [
      ...(layout === "es003" ? warnAboutLiquidation(present) : []),
      ...warnAboutUnknown(cells, known, present),
    ],
  };
}

function warnAboutLiquidation(present: ReadonlySet<ColumnName>): FileWarning[] {
  const columns = [
    ...(present.has("liquidation_status") ? [] : ["Liquidation Status"]),
    ...(present.has("liquidation_date") ? [] : ["Liquidation Date"]),
  ];
  if (columns.length === 0) return [];
  const detail = `The export lacks ${columns.join(" and ")}, without which the route of its entries is unknown. Add all liquidation columns to the report.`;
  return [{ code: "LIQUIDATION_COLUMNS_ABSENT", severity: "warn", detail, columns }];
}

export const countKnownHeadings = (cells: readonly string[]): number =>
  new Set(cells.flatMap((cell) => findColumn(cell)?.name ?? [])).size;

/** The layout of a file (diligence-model §1, "Columns"), and how one sees it. */
function recognizeLayout(names: ReadonlySet<string>): { layout: Layout; reason: string } {
  const has = (column: ColumnName) => findColumn(column)?.aliases.some((alias) => names.has(alias));
  const because = (heading: string) => `it has the heading "${heading}"`;
  if (has("tariff_ordinal_number")) return { layout: "es003", reason: because("Tariff Ordinal Number") };
  if (has("hts_number") && !has("ieepa_duty_paid"))
    return {
      layout: "es003",
      reason:
        "it has the tariff number of each row and no IEEPA duty; if each row is an entry, name the column of that duty ieepa_duty_paid",
    };
  const own = [...names].filter(isEs003Header);
  if (own.length >= MIN_ES003_HEADINGS)
    return { layout: "es003", reason: `it has ${own.length} headings that only that report has` };
  return { layout: "entry", reason: "it has no heading of the report ES-003" };
}

/** Throws DELIMITER_UNSUPPORTED for a header of one cell that has another delimiter in it. */
export function checkDelimiter(cells: readonly string[]): void {
  const delimiter = cells.length === 1 ? /[;\t|]/.exec(cells[0] ?? "")?.[0] : undefined;
  if (delimiter !== undefined) throw delimiterError(delimiter);
}

/** Compares headers without case: `Entry Number` and `entry_number` are synonyms, of which the first one wins. */
function checkDuplicates(known: readonly EntryColumn[], names: readonly string[], cells: readonly string[]) {
  const aliases = new Set(known.flatMap((column) => column.aliases));
  const firstIndexes = new Map<string, number>();
  for (const [index, cell] of cells.entries()) {
    if (!aliases.has(names[index] ?? "")) continue;
    const text = cell.trim();
    const first = firstIndexes.get(text.toLowerCase());
    if (first === undefined) {
      firstIndexes.set(text.toLowerCase(), index);
      continue;
    }
    const message = `Columns ${first + 1} and ${index + 1} have the same heading, "${text}". Remove the one that is not meant.`;
    throw new EntryFileError("HEADER_DUPLICATE", 1, message);
  }
}

const toLetters = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Some programs quote a record as if it were one cell. */
export const WHOLE_LINE_QUOTED =
  "The whole line is in quotes, so that it is one cell: remove the quotes around it, and write doubled ones once.";

function checkRequired(
  headings: readonly string[],
  known: readonly EntryColumn[],
  present: ReadonlySet<ColumnName>,
  layout: Layout,
  reason: string,
): void {
  const missing = known.filter(({ name, requiredIn }) => requiredIn.includes(layout) && !present.has(name));
  if (missing.length === 0) return;
  const names = missing.map(({ name, es003Heading }) => (layout === "es003" ? es003Heading : null) ?? name);
  const form = layout === "es003" ? "the report ES-003" : "a row for each entry";
  const read =
    countKnownHeadings(headings) === 0
      ? "None of its headings is known: it may be a row, or its columns may not be separated by commas."
      : `The file is read as ${form}, because ${reason}.`;
  const quoted = headings.length === 1 && headings[0]?.includes(",") ? ` ${WHOLE_LINE_QUOTED}` : "";
  const others = headings.flatMap((heading) => {
    const other = findOtherMeaning(heading);
    const isMissing = missing.some(({ name }) => name === other?.column.name);
    if (other && isMissing) return [` "${heading.trim()}" is not read, because ${other.reason}.`];
    const letters = toLetters(heading);
    const meant = missing.find(({ aliases }) => aliases.some((alias) => letters.includes(toLetters(alias))));
    const shown = showHidden(heading.trim(), false);
    return meant && !findColumn(heading)
      ? [` "${shown}" is not read: rename it if its cells are right for ${meant.name}.`]
      : [];
  });
  const unread = headings
    .filter((heading) => isUnread(heading, known))
    .map((heading) => `"${heading.trim()}"`);
  const rename =
    others.length > 0 || unread.length === 0 || unread.length === headings.length
      ? ""
      : ` No column is read from ${joinFirst(unread, MAX_UNREAD_HEADINGS)}: rename those that are meant.`;
  const message = `The header lacks ${missing.length === 1 ? "a required column" : "required columns"}: ${names.join(", ")}.${others.join("")} ${read}${rename}${quoted}`;
  throw new EntryFileError("REQUIRED_COLUMN_MISSING", 1, message);
}

/** Whether no column takes a heading: not for a blank one, a second name of a column, or an unused one of ES-003. */
function isUnread(heading: string, known: readonly EntryColumn[]): boolean {
  const header = normalizeHeader(heading);
  const isKnown = known.some(({ aliases }) => aliases.includes(header));
  return header !== "" && !isUnusedEs003Header(header) && !isKnown;
}

function warnAboutUnknown(
  cells: readonly string[],
  known: readonly EntryColumn[],
  present: ReadonlySet<ColumnName>,
): readonly FileWarning[] {
  const unknown = cells.map((cell) => cell.trim()).filter((heading) => isUnread(heading, known));
  if (unknown.length === 0) return [];
  const columns = unknown.slice(0, MAX_NAMED_HEADINGS).map(copyText);
  const absent = known.filter(({ name }) => !present.has(name)).flatMap(({ aliases }) => aliases);
  const explained = columns.map((heading) => ({ heading, ...explainUnknown(heading, absent) }));
  const similar = explained.flatMap(({ heading, closest }) => (closest ? [{ heading, closest }] : []));
  const names = explained.map(({ heading, note }) => `"${heading}"${note}`);
  const more = unknown.length - columns.length;
  const detail = `No column is read from ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
  const isDecisive = (text: string) =>
    DECISIVE_WORDS.test(text) ||
    OTHER_AMOUNT.test(text) ||
    DECISIVE_DATES.some(([name, words]) => !present.has(name) && words.test(text));
  const important = unknown.filter(isDecisive).slice(0, MAX_NAMED_HEADINGS);
  const near = similar.length > 0 && { similar };
  const decisive = important.length > 0 && { important: important.map(copyText) };
  return [{ code: "COLUMNS_UNRECOGNIZED", severity: "warn", detail, columns, ...near, ...decisive }];
}

/** The words of headings whose cells decide the route of an entry, or whether its duty counts. */
const DECISIVE_WORDS =
  /recon|drawback|protest|liquidat|currency|w(?:ä|ae)hrung|devise|divisa|moneda|moeda|monnaie|valuta|cancel|refund|ieepa|reciprocal|fentanyl|(?<![a-z])(?:status|version|void|delete|claimed|9903)|(?<![a-z])(?:ccy|crcy|curr?|liq|prot|dbk?|psc|ch(?:apter)?[\W_]*99)(?![a-z])/i;

/** Of dates that may be those of a column that the file lacks. */
const DECISIVE_DATES: readonly (readonly [ColumnName, RegExp])[] = [
  ["entry_summary_date", /(?:summary|filing|payment|(?<![a-z])es)[\W_]*(?:date|dt)(?![a-z])/i],
  ["protest_decision_date", /(?:decision|denial|denied)[\W_]*(?:date|dt)(?![a-z])/i],
];

/** Of a second amount that may be the right one, and of the unit of amounts. */
const OTHER_AMOUNT =
  /dut(?:y|ies).*(?:correct|revis|adjust|amend|final|actual|usd|cad|eur|\d)|(?:correct|revis|adjust|amend|final|actual).*dut(?:y|ies)|value.*(?:usd|cad|eur)|^(?:scale|unit|multiplier|exchange rate)$|amounts?\W.*(?:unit|scale)|(?:unit|scale)\W.*amount/i;

/** A rate, or another currency than the dollar. */
const HAS_OTHER_UNIT = /[%‰]|(?!\$)\p{Sc}/u;

/** What an unknown heading may be. @param absent names of columns that the file lacks */
function explainUnknown(heading: string, absent: readonly string[]) {
  const other = findOtherMeaning(heading);
  if (other !== null) return { closest: null, note: ` (${other.reason})` };
  const isShort = heading.length < MIN_COMPARED_LENGTH;
  const closest = isShort || HAS_OTHER_UNIT.test(heading) ? null : findClosestHeading(heading, absent);
  return { closest, note: closest === null ? "" : ` (did you mean "${closest}"?)` };
}

function findClosestHeading(heading: string, absent: readonly string[]): string | null {
  const header = normalizeHeader(heading);
  const closest = findClosest(header, absent, Math.ceil(heading.length / 4));
  if (closest === null || !hasCloseWords(header, closest)) return null;
  return heading.includes("_") ? closest : (findColumn(closest)?.es003Heading ?? closest);
}

/** Two headings may share a word such as "number". Without such words, they must still be close. */
function hasCloseWords(heading: string, closest: string): boolean {
  const [words, others] = [heading.split("_"), closest.split("_")];
  const own = words.filter((word) => !others.includes(word)).join("_");
  const other = others.filter((word) => !words.includes(word)).join("_");
  return own === "" || other === "" || findClosest(own, [other], Math.ceil(own.length / 3)) !== null;
}

/** Unknown columns keep their header text. A blank one gets its position. */
function nameExtras(cells: readonly string[], knownIndexes: ReadonlySet<number>): ExtraColumn[] {
  const toFreeName = createNamer();
  return cells.flatMap((cell, index) => {
    if (knownIndexes.has(index)) return [];
    return [{ name: toFreeName(copyText(cell.trim()) || `column ${index + 1}`), index }];
  });
}

/** Gives a name that is taken a number: `memo (2)`. @param taken besides the names that it gave */
export function createNamer(taken: readonly string[] = []): (name: string) => string {
  /** By each name that is taken, the number to try next. */
  const nextCopies = new Map(taken.map((name) => [name, 2]));
  return (name) => {
    let free = name;
    let copy = nextCopies.get(name) ?? 2;
    for (; nextCopies.has(free); copy += 1) free = `${name} (${copy})`;
    nextCopies.set(free, 2);
    nextCopies.set(name, copy);
    return free;
  };
}
