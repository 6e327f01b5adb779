import { isRecord } from "../../../domain/json.ts";
import type { ContractField, ContractRecord } from "../contract-records.ts";
import { formatPlace, type Place, valueAtPlace } from "../places.ts";
import type { OpenPoint, Row } from "../service-form.ts";
import { findMeaning, type KnownValues } from "./known-values.ts";
import { isIdentifier, type Leaf, listLeaves, normalizeName } from "./samples.ts";
import { couldBe, describeKind, findValueForm } from "./value-forms.ts";

/** The rows that there is evidence for, and what is open. */
export interface ProposedRows {
  /** By the name of the record. */
  readonly records: ReadonlyMap<string, Readonly<Record<string, Row>>>;
  readonly open: readonly OpenPoint[];
  /** The places that rows or equal names explain. */
  readonly explained: readonly Place[];
}

interface Column {
  readonly place: Place;
  readonly values: unknown[];
}

/** How strong evidence is: of two rules for one place, the stronger one counts. */
const STRENGTH = { name: 3, value: 2, words: 1 } as const;

interface Candidate {
  readonly field: ContractField;
  /** In the contract. */
  readonly path: string;
  readonly columns: readonly Column[];
  readonly strength: number;
}

/**
 * Proposes rows for the records that were seen, by the rules of evidence (product.md §10): the same name in another case
 * style, a value that is known from elsewhere, a closed set of documented words. Two candidates are no evidence.
 */
export function proposeRows(
  record: ContractRecord,
  records: readonly unknown[],
  known: KnownValues,
  isSeveral = records.length > 1,
): ProposedRows {
  const columns = toColumns(records);
  const describe = createDescription(columns, isSeveral ? records.length : 0);
  const candidates = [...record.fields.values()]
    .filter(({ record: inner }) => !inner)
    .map((field) => findCandidate(field, field.name, record, columns, known));
  const nested = [...record.fields.values()].filter(({ record: inner }) => inner);
  const held = nested.map((field) => ({ field, at: findHolder(field, records) }));
  const hoisted = held.flatMap(({ field, at }) =>
    at === null && field.shape === "record"
      ? [...(field.record?.fields.values() ?? [])]
          .filter(({ record: inner }) => !inner)
          .map((inner) => findCandidate(inner, `${field.name}.${inner.name}`, record, columns, known))
          .filter(({ columns: found }) => found.length === 1)
      : [],
  );
  const inside = held.flatMap(({ at }) => (at ? [at] : []));
  const isFree = ({ place }: Column) => !inside.some((holder) => startsWith(place, holder));
  const chosen = chooseUnique(
    [...candidates, ...hoisted].map((each) => ({ ...each, columns: each.columns.filter(isFree) })),
  );
  const rows: Record<string, Row> = {};
  const open: OpenPoint[] = [];
  const explained: Place[] = [];
  for (const { candidate, column } of chosen) {
    if (!column) continue;
    explained.push(column.place);
    const row = toRow(candidate, column, record.name, open, describe);
    if (row !== undefined) rows[candidate.path] = row;
  }
  const isExplained = ({ place }: Column) => explained.some((each) => startsWith(place, each));
  const left = columns.filter((column) => isFree(column) && !isExplained(column));
  for (const { candidate, column } of chosen)
    if (!column && !hasField(records, candidate.field))
      noteMissing(candidate, record.name, left, rows, open, describe);
  const found = new Map<string, Readonly<Record<string, Row>>>();
  for (const { field, at } of held)
    addNested(field, at, { record, records, known, isSeveral, rows, found, open, explained });
  if (Object.keys(rows).length > 0) found.set(record.name, rows);
  return { records: found, open, explained };
}

/** Whether a record has the field without a value that could be looked at, such as an empty object. */
const hasField = (records: readonly unknown[], { name, shape }: ContractField): boolean =>
  shape === "other" &&
  records.some(
    (each) => isRecord(each) && Object.keys(each).some((key) => normalizeName(key) === normalizeName(name)),
  );

const startsWith = (place: Place, holder: Place): boolean =>
  holder.every((name, level) => place[level] === name);

function toColumns(records: readonly unknown[]): Column[] {
  const columns = new Map<string, Column>();
  for (const { place, value } of records.flatMap((record): Leaf[] => listLeaves(record))) {
    const key = formatPlace(place);
    const column = columns.get(key) ?? { place, values: [] };
    column.values.push(value);
    columns.set(key, column);
  }
  return [...columns.values()];
}

/** The name without the unit, which the form of the value shows. */
const listNames = ({ name, shape }: ContractField): string[] => [
  normalizeName(name),
  ...(shape === "money" ? [normalizeName(name.replace(/Cents$/, ""))] : []),
];

function findCandidate(
  field: ContractField,
  path: string,
  { name: record }: ContractRecord,
  columns: readonly Column[],
  known: KnownValues,
): Candidate {
  const own = columns.filter(({ place }) => !place.includes("*"));
  const names = listNames(field);
  const named = own.filter(
    ({ place, values }) =>
      names.includes(normalizeName(place.at(-1) ?? "")) && values.every((value) => fits(field, value)),
  );
  const depth = Math.min(...named.map(({ place }) => place.length));
  const nearest = named.filter(({ place }) => place.length === depth);
  const base = { field, path };
  if (nearest.length > 0) return { ...base, columns: nearest, strength: STRENGTH.name };
  const meaning = findMeaning(record, field.name);
  if (meaning !== undefined && known.isKnown(meaning)) {
    const same = own.filter(({ values }) => values.some((value) => known.has(meaning, value)));
    return { ...base, columns: same, strength: STRENGTH.value };
  }
  const words = field.isDocumented && field.words.length > 0 ? field.words : [];
  const wordy = own.filter(({ values }) => {
    const texts = values.filter((value) => value !== null);
    return texts.length > 0 && texts.every((value) => words.includes(String(value).toLowerCase()));
  });
  return { ...base, columns: wordy, strength: STRENGTH.words };
}

/** A name alone does not make a value of another kind the same. */
const fits = ({ shape, words }: ContractField, value: unknown): boolean =>
  shape === "other" || couldBe(shape, value) || (words.length > 0 && typeof value !== "object");

interface Choice {
  readonly candidate: Candidate;
  /** Undefined where there is no evidence. */
  readonly column: Column | undefined;
}

/** One place for a field, and one field for a place: everything else is open. */
function chooseUnique(candidates: readonly Candidate[]): Choice[] {
  return candidates.map((candidate) => {
    const [column, ...others] = candidate.columns;
    const rivals = candidates.filter(
      (other) =>
        other !== candidate &&
        other.columns.length === 1 &&
        other.columns[0] === column &&
        other.strength >= candidate.strength,
    );
    return { candidate, column: others.length === 0 && rivals.length === 0 ? column : undefined };
  });
}

/** Undefined where the contract's own form holds. */
function toRow(
  { field, path }: Candidate,
  { place, values }: Column,
  record: string,
  open: OpenPoint[],
  describe: DescribeColumns,
): Row | undefined {
  const at = formatPlace(place);
  const isOwnPlace = at === field.name;
  const words = field.words.length > 0 ? matchCase(field.words, values) : null;
  const as = field.words.length > 0 ? null : findValueForm(field.shape, values);
  if (as === undefined)
    open.push({
      subject: `${record}.${path}`,
      seen: describe([{ place, values }]),
      reason: "no codec writes this",
    });
  const row = { ...(!isOwnPlace && { at }), ...(as && { as }), ...(words && { words }) };
  if (Object.keys(row).length === 0) return undefined;
  return Object.keys(row).length === 1 && row.at !== undefined ? at : row;
}

/** The words of the contract in another letter case. */
function matchCase(words: readonly string[], values: readonly unknown[]): Record<string, string> | null {
  const seen = new Set(values.filter((value): value is string => typeof value === "string"));
  const matched = [...seen].flatMap((word) => {
    const own = words.find((each) => normalizeName(each) === normalizeName(word));
    return own !== undefined && own !== word ? [[own, word] as const] : [];
  });
  return matched.length > 0 ? Object.fromEntries(matched) : null;
}

type DescribeColumns = (columns: readonly Column[]) => string;

/** Names places: a name that is not in every one of several records could be a key of a map, and is not kept. */
const createDescription =
  (all: readonly Column[], records: number): DescribeColumns =>
  (columns) => {
    const kept = columns.filter(
      ({ place, values }) => records > 1 && values.length >= records && place.every(isName) && all.length > 0,
    );
    const others = columns.length - kept.length;
    const named = kept.slice(0, 5).map(({ place, values }) => {
      const kinds = [...new Set(values.filter((value) => value !== null).map(describeKind))];
      return `${formatPlace(place)}: ${kinds.join(" or ") || "null"}`;
    });
    return [...named, ...(others > 0 ? [`${others} others`] : [])].join(", ").slice(0, 290);
  };

const isName = (name: string): boolean => name === "*" || isIdentifier(name);

/** A field that the service does not have, if nothing that is left could be it; otherwise it is open. */
function noteMissing(
  { field, path, columns }: Candidate,
  record: string,
  left: readonly Column[],
  rows: Record<string, Row>,
  open: OpenPoint[],
  describe: DescribeColumns,
): void {
  if (path.includes(".")) return;
  const possible =
    columns.length > 1 ? columns : left.filter(({ values }) => values.every((value) => fits(field, value)));
  if (possible.length === 0) {
    rows[path] = null;
    return;
  }
  open.push({
    subject: `${record}.${path}`,
    seen: describe(possible),
    reason: columns.length > 1 ? "several fields could be it" : "no evidence which field it is",
  });
}

/** Where the records of a nested field are: under its name in any case style, at the top or deeper. */
function findHolder({ name, shape, isDocumented }: ContractField, records: readonly unknown[]): Place | null {
  const found = new Map<string, Place>();
  const visit = (value: unknown, place: Place, depth: number): void => {
    if (!isRecord(value) || depth > 6) return;
    for (const [inner, held] of Object.entries(value)) {
      const isShape = shape === "list" ? Array.isArray(held) : isRecord(held);
      if (normalizeName(inner) === normalizeName(name) && isShape)
        found.set(formatPlace([...place, inner]), [...place, inner]);
      else visit(held, [...place, inner], depth + 1);
    }
  };
  for (const record of records) visit(record, [], 0);
  const [only, ...others] = [...found.values()].filter(({ length }) => isDocumented || length === 1);
  return only && others.length === 0 ? only : null;
}

interface NestedContext {
  readonly record: ContractRecord;
  readonly records: readonly unknown[];
  readonly known: KnownValues;
  readonly isSeveral: boolean;
  readonly rows: Record<string, Row>;
  readonly found: Map<string, Readonly<Record<string, Row>>>;
  readonly open: OpenPoint[];
  readonly explained: Place[];
}

function addNested(field: ContractField, at: Place | null, context: NestedContext): void {
  const { record, records, known, isSeveral, rows, found, open, explained } = context;
  const { record: inner, shape, name } = field;
  if (!inner) return;
  const isHoisted = Object.keys(rows).some((path) => path.startsWith(`${name}.`));
  if (at === null) {
    if (isHoisted) rows[name] = null;
    else
      open.push({
        subject: `${record.name}.${name}`,
        seen: "not seen",
        reason: "no record has it under this name",
      });
    return;
  }
  const held = records
    .map((each) => valueAtPlace(each, at))
    .filter((each) => each !== undefined && each !== null);
  const values = shape === "record" ? held : held.flatMap((each) => Object.values(each as object));
  const below = proposeRows(inner, values.filter(isRecord), known, isSeveral && values.length > 1);
  // The same name with other fields inside is another thing.
  if (below.explained.length === 0 && !field.isDocumented && values.length > 0) {
    addNested(field, null, context);
    return;
  }
  if (formatPlace(at) !== name) rows[name] = formatPlace(at);
  if (values.length === 0) return;
  for (const [nested, nestedRows] of below.records) found.set(nested, nestedRows);
  if (values.length > 0) open.push(...below.open);
  const suffix = shape === "record" ? [] : ["*"];
  explained.push(...below.explained.map((place) => [...at, ...suffix, ...place]));
}
