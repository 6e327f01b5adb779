import { isRecord } from "../../../domain/json.ts";
import type { Paging } from "../mapping.ts";
import { PAGE_COUNT_NAME } from "../paging.ts";
import { isWithin, toPath, valueAtPath } from "../path.ts";
import type { Items } from "./items.ts";
import { type Leaf, listLeaves, nameOf, normalizeName } from "./leaves.ts";
import type { Observation } from "./port.ts";

/** The usual names of an object that describes a list (product.md §4, "Complete"). */
const COMPANIONS =
  /^(meta|metadata|page|pages|pageinfo|paging|pagination|pager|links?|nav|navigation|cursors?|next|window|range)$/;
const NEXT = /next|more|cursor|continu|after|resume|^token$|pagetoken/;
const HAS_MORE = /more|hasnext/;
const TOTAL = /^(total|total(count|items|results|records|rows|elements|hits))$/;
const POSITION = /^(self|first|last|prev|previous|current)/;

/** A value that describes a list, or a header as `header:NAME`. */
export interface Sign {
  readonly place: string;
  readonly name: string;
  readonly value: Leaf["value"];
}

/** What stands in the object that holds the items, in the objects beside them, and in the usual companions further out. */
export function listSigns({ json }: Pick<Observation, "json">, { steps }: Items): readonly Sign[] {
  const holder = steps.slice(0, -1);
  return listLeaves(json)
    .filter(({ steps: leaf }) => !isWithin(leaf, steps) && leaf.length > 0)
    .filter(({ steps: leaf }) => {
      const isInHolder = isWithin(leaf, holder) && leaf.length - holder.length <= 3;
      const outer = leaf.find(({ name }, level) => steps[level]?.name !== name);
      return isInHolder || (leaf.length > 1 && COMPANIONS.test(normalizeName(outer?.name ?? "")));
    })
    .map((leaf) => ({ place: leaf.path, name: normalizeName(describeName(leaf)), value: leaf.value }));
}

/** A link may be an object with the address in it. */
const describeName = ({ steps }: Leaf): string => {
  const name = nameOf({ steps });
  return /^(href|url|uri|link)$/i.test(name) ? nameOf({ steps: steps.slice(0, -1) }) || name : name;
};

const isCount = (value: unknown): boolean => /^\d{1,12}$/.test(String(value));

export interface EndSigns {
  readonly total: Sign | undefined;
  readonly pages: Sign | undefined;
  readonly more: Sign | undefined;
  /** Of a `Content-Range`. */
  readonly rangeTotal: number | undefined;
}

/** What says how much there is. A name such as `count` may be of anything, and money is no total. */
export function findEndSigns(
  { headers, json }: Pick<Observation, "headers" | "json">,
  signs: readonly Sign[],
): EndSigns {
  const hasMoney = isRecord(json) && signs.some(({ name }) => name === "currency");
  const counted = Object.entries(headers).flatMap(([name, value]) =>
    TOTAL.test(normalizeName(name.replace(/^x-/, ""))) && isCount(value)
      ? [{ place: `header:${name}`, name, value }]
      : [],
  );
  const range = /\/(\d+)\s*$/.exec(headers["content-range"] ?? "")?.[1];
  const inBody = signs.find(({ name, value }) => TOTAL.test(name) && isCount(value));
  return {
    total: (hasMoney ? undefined : inBody) ?? counted[0],
    pages: signs.find(({ name, value }) => PAGE_COUNT_NAME.test(name) && isCount(value)),
    more: signs.find(({ name, value }) => HAS_MORE.test(name) && typeof value === "boolean"),
    rangeTotal: range === undefined ? undefined : Number(range),
  };
}

const isUrl = (value: unknown): boolean => typeof value === "string" && /^(https?:\/\/|\/|\?)/.test(value);

/** Addresses that may be the next page. */
export const listUrls = (signs: readonly Sign[]): readonly Sign[] =>
  signs
    .filter(({ name, value }) => isUrl(value) && !POSITION.test(name))
    .toSorted((one, other) => Number(NEXT.test(other.name)) - Number(NEXT.test(one.name)));

/** Values that may ask for the next page in a parameter. */
export function listTokens(signs: readonly Sign[]): readonly Sign[] {
  const isToken = ({ name, value }: Sign) => {
    if (TOTAL.test(name) || PAGE_COUNT_NAME.test(name) || /secret|password|signature|currency/.test(name))
      return false;
    if (typeof value === "number") return NEXT.test(name);
    return (
      typeof value === "string" &&
      !isUrl(value) &&
      /^\S{1,500}$/.test(value) &&
      (NEXT.test(name) || value.length > 7)
    );
  };
  return signs
    .filter(isToken)
    .toSorted((one, other) => Number(NEXT.test(other.name)) - Number(NEXT.test(one.name)));
}

/** Whether a response says that there are more rows than it has. */
export function showsMore(observation: Observation, signs: readonly Sign[], rowCount: number): boolean {
  const { total, pages, more, rangeTotal } = findEndSigns(observation, signs);
  const counts = [total?.value, rangeTotal].some((count) => Number(count ?? 0) > rowCount);
  const hasNext = signs.some(
    ({ name, value }) =>
      NEXT.test(name) && !HAS_MORE.test(name) && value !== null && value !== "" && typeof value !== "boolean",
  );
  return (
    /;\s*rel="?[^";]*\bnext\b/i.test(observation.headers.link ?? "") ||
    counts ||
    hasNext ||
    Number(pages?.value ?? 0) > 1 ||
    more?.value === true
  );
}

/** Whether a response says that it has all rows: by a number, by a flag, or because the place of the next page is empty. */
export function showsEnd(
  { headers, json }: Pick<Observation, "headers" | "json">,
  signs: readonly Sign[],
  rowCount: number,
  lines: readonly Paging[],
): boolean {
  const { total, pages, more, rangeTotal } = findEndSigns({ headers, json }, signs);
  const isNumbered =
    Number(total?.value) === rowCount || rangeTotal === rowCount || Number(pages?.value) === 1;
  const hasNoNext = lines.some(
    (line) => typeof line === "object" && "next" in line && isEmptyPlace(json, line.next),
  );
  return isNumbered || more?.value === false || hasNoNext;
}

/** Nothing is there, and what should hold it is; a link may be an object with the address in it. */
function isEmptyPlace(json: unknown, place: string): boolean {
  const path = toPath(place);
  const isThere = [1, 2].some(
    (levels) => path.length > levels && isRecord(valueAtPath(json, path.slice(0, -levels))),
  );
  const value = valueAtPath(json, path);
  return isThere && (value === undefined || value === null || value === "");
}
