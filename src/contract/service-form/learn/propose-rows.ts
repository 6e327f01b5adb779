import { isRecord } from "../../../domain/json.ts";
import type { ContractField, ContractRecord } from "../contract-records.ts";
import { describeKind } from "../kinds.ts";
import { formatPlace, isWithin, type Place, valueAtPlace } from "../places.ts";
import type { OpenPoint, Row } from "../service-form.ts";
import { findMeaning, type KnownValues } from "./known-values.ts";
import { isIdentifier, type Leaf, listLeaves, normalizeName, openPoint } from "./samples.ts";
import { couldBe, findValueForm, isUuid } from "./value-forms.ts";

interface Proposal {
  readonly record: ContractRecord;
  readonly records: readonly unknown[];
  readonly known: KnownValues;
  readonly isSeveral: boolean;
  readonly rows: Record<string, Row>;
  readonly found: Map<string, Readonly<Record<string, Row>>>;
  readonly open: OpenPoint[];
  readonly explained: Place[];
}

interface Column {
  readonly place: Place;
  readonly values: unknown[];
}

/** How strong evidence is: of two rules for one place, the stronger one counts. An id is one that other responses have, too. */
const STRENGTH = { id: 4, name: 3, value: 2, words: 1 } as const;

interface Candidate {
  readonly field: ContractField;
  readonly path: string;
  readonly columns: readonly Column[];
  readonly strength: number;
}

/** Proposes rows by the rules of evidence (product.md §10). Two candidates are no evidence. */
export function proposeRows(
  record: ContractRecord,
  records: readonly unknown[],
  known: KnownValues,
  isSeveral = records.length > 1,
) {
  const rows: Proposal["rows"] = {};
  const found: Proposal["found"] = new Map();
  const open: OpenPoint[] = [];
  const explained: Place[] = [];
  const proposal: Proposal = { record, records, known, isSeveral, rows, found, open, explained };
  const columns = toColumns(records);
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
          // In another object, the name could be of something else: a code is not only that of a failure.
          .filter(({ columns: [only, ...others], field: { isDocumented } }) =>
            only && others.length === 0 ? isDocumented || only.place.length === 1 : false,
          )
      : [],
  );
  const inside = held.flatMap(({ at }) => (at ? [at] : []));
  const isFree = ({ place }: Column) => !inside.some((holder) => isWithin(place, holder));
  const chosen = chooseUnique(
    [...candidates, ...hoisted].map((each) => ({ ...each, columns: each.columns.filter(isFree) })),
  );
  for (const { candidate, column } of chosen) {
    if (!column) continue;
    explained.push(column.place);
    const row = toRow(candidate, column, proposal);
    if (row !== undefined) rows[candidate.path] = row;
  }
  const isExplained = ({ place }: Column) => explained.some((each) => isWithin(place, each));
  const left = columns.filter((column) => isFree(column) && !isExplained(column));
  for (const { candidate, column } of chosen)
    if (hasField(records, candidate.field)) explained.push([candidate.field.name]);
    else if (!column) noteMissing(candidate, left, proposal);
  for (const { field, at } of held) addNested(field, at, proposal);
  if (Object.keys(rows).length > 0) found.set(record.name, rows);
  return { records: found, open, explained };
}

/** Whether a record has the field without a value that could be looked at, such as an empty object. */
const hasField = (records: readonly unknown[], { name, shape }: ContractField): boolean =>
  shape === "other" &&
  records.some(
    (each) => isRecord(each) && Object.keys(each).some((key) => normalizeName(key) === normalizeName(name)),
  );

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
  const meaning = findMeaning(record, field.name);
  const has = ({ values }: Column) =>
    values.some((value) => meaning !== undefined && known.has(meaning, value));
  const same = own.filter(has);
  // A name is no evidence where the value that is known stands elsewhere.
  if (nearest.length > 0 && (same.length === 0 || nearest.some(has)))
    return { ...base, columns: nearest, strength: STRENGTH.name };
  if (meaning !== undefined && known.isKnown(meaning)) {
    const ids = new Set(same[0]?.values.filter((value) => isUuid(value) && known.has(meaning, value)));
    const isId = same.length === 1 && ids.size > 1 && same[0]?.values.every(isUuid);
    return { ...base, columns: same, strength: isId ? STRENGTH.id : STRENGTH.value };
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

/** One place for a field, and one field for a place: everything else is open. */
function chooseUnique(candidates: readonly Candidate[]) {
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
function toRow({ field, path }: Candidate, { place, values }: Column, proposal: Proposal): Row | undefined {
  const at = formatPlace(place);
  const isOwnPlace = at === field.name;
  const words = field.words.length > 0 ? matchCase(field.words, values) : null;
  const as = field.words.length > 0 ? null : findValueForm(field.shape, values);
  if (as === undefined)
    noteOpen(proposal, path, describeColumns([{ place, values }], proposal), "no codec writes this");
  const row = { ...(!isOwnPlace && { at }), ...(as && { as }), ...(words && { words }) };
  if (Object.keys(row).length === 0) return undefined;
  return Object.keys(row).length === 1 && row.at !== undefined ? at : row;
}

const noteOpen = ({ record, open }: Proposal, path: string, seen: string, reason: string): void =>
  void open.push(openPoint(`${record.name}.${path}`, seen, reason));

function matchCase(words: readonly string[], values: readonly unknown[]): Record<string, string> | null {
  const seen = new Set(values.filter((value): value is string => typeof value === "string"));
  const matched = [...seen].flatMap((word) => {
    const own = words.find((each) => normalizeName(each) === normalizeName(word));
    return own !== undefined && own !== word ? [[own, word] as const] : [];
  });
  return matched.length > 0 ? Object.fromEntries(matched) : null;
}

/** Names places: a name that is not in every one of several records could be a key of a map, and is not kept. */
function describeColumns(columns: readonly Column[], { isSeveral, records }: Proposal): string {
  const kept = columns.filter(
    ({ place, values }) =>
      isSeveral && records.length > 1 && values.length >= records.length && place.every(isName),
  );
  const others = columns.length - kept.length;
  const named = kept.slice(0, 5).map(({ place, values }) => {
    const kinds = [...new Set(values.filter((value) => value !== null).map(describeKind))];
    return `${formatPlace(place)}: ${kinds.join(" or ") || "null"}`;
  });
  return [...named, ...(others > 0 ? [`${others} others`] : [])].join(", ").slice(0, 290);
}

const isName = (name: string): boolean => name === "*" || isIdentifier(name);

/** A field that the service does not have, if nothing that is left could be it; otherwise it is open. */
function noteMissing({ field, path, columns }: Candidate, left: readonly Column[], proposal: Proposal): void {
  if (path.includes(".")) return;
  const possible =
    columns.length > 1 ? columns : left.filter(({ values }) => values.every((value) => fits(field, value)));
  if (possible.length === 0) {
    proposal.rows[path] = null;
    return;
  }
  const reason = columns.length > 1 ? "several fields could be it" : "no evidence which field it is";
  noteOpen(proposal, path, describeColumns(possible, proposal), reason);
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

function addNested(field: ContractField, at: Place | null, proposal: Proposal): void {
  const { records, known, isSeveral, rows, found, open, explained } = proposal;
  const { record: inner, shape, name } = field;
  if (!inner) return;
  const isHoisted = Object.keys(rows).some((path) => path.startsWith(`${name}.`));
  if (at === null) {
    if (isHoisted) rows[name] = null;
    else noteOpen(proposal, name, "not seen", "no record has it under this name");
    return;
  }
  const held = records
    .map((each) => valueAtPlace(each, at))
    .filter((each) => each !== undefined && each !== null);
  const values = shape === "record" ? held : held.flatMap((each) => Object.values(each as object));
  const below = proposeRows(inner, values.filter(isRecord), known, isSeveral && values.length > 1);
  // The same name with other fields inside is another thing.
  if (below.explained.length === 0 && !field.isDocumented && values.length > 0) {
    addNested(field, null, proposal);
    return;
  }
  if (formatPlace(at) !== name) rows[name] = formatPlace(at);
  if (values.length === 0) return;
  for (const [nested, nestedRows] of below.records) found.set(nested, nestedRows);
  open.push(...below.open);
  const suffix = shape === "record" ? [] : ["*"];
  explained.push(...below.explained.map((place) => [...at, ...suffix, ...place]));
}
