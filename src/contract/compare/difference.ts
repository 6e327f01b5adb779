import { isDeepStrictEqual } from "node:util";
import { toCanonicalJson } from "../hash.ts";
import { asList, asRecord, type Node, type SchemaView } from "./contract-reader.ts";
import { type Effect, isWords, judgeKeyword, type Place } from "./effects.ts";

export interface Difference {
  /** `POST /v1/…`; the path for what all of its operations have; `*` for the whole document. */
  readonly operation: string;
  /** As in `response data[].status`; empty for the operation itself. */
  readonly location: string;
  readonly effect: Effect;
  readonly message: string;
}

export type Change = Omit<Difference, "operation">;

export const unionKeys = (one: Node, other: Node): string[] => [
  ...new Set([...Object.keys(one), ...Object.keys(other)]),
];

export function compareRequired(place: Place, location: string, before: boolean, after: boolean): Change[] {
  if (before === after) return [];
  const [effect, message]: [Effect, string] =
    place === "request"
      ? after
        ? ["breaks", "is required now"]
        : ["adds", "is no longer required"]
      : after
        ? ["adds", "is never missing now"]
        : ["changes", "may be missing now"];
  return [{ location, effect, message }];
}

export function compareTypes(
  place: Place,
  location: string,
  { types: before }: SchemaView,
  { types: after }: SchemaView,
): Change[] {
  if (before.join() === after.join()) return [];
  const describe = (types: readonly string[]) => types.join(" or ") || "anything";
  const includes = (outer: readonly string[], inner: readonly string[]) =>
    outer.length === 0 || (inner.length > 0 && inner.every((type) => outer.includes(type)));
  const effect =
    place === "request"
      ? includes(after, before)
        ? "adds"
        : "breaks"
      : place === "assumed response" || includes(before, after)
        ? "changes"
        : "breaks";
  return [{ location, effect, message: `is ${describe(after)}, was ${describe(before)}` }];
}

export function compareValues(
  place: Place,
  location: string,
  before: readonly string[] | null,
  after: readonly string[] | null,
): Change[] {
  const isRequest = place === "request";
  if (!before || !after) {
    if (before === after) return [];
    const message = after ? `is only ${after.join(", ")} now` : "may be any value now";
    return [{ location, effect: isRequest ? (after ? "breaks" : "adds") : "changes", message }];
  }
  const [old, now] = [new Set(before), new Set(after)];
  const gone = before.filter((value) => !now.has(value)).join(", ");
  const added = after.filter((value) => !old.has(value)).join(", ");
  const rows: Change[] = [];
  if (gone)
    rows.push({
      location,
      effect: isRequest ? "breaks" : "changes",
      message: isRequest ? `no longer accepts ${gone}` : `is never ${gone} now`,
    });
  if (added)
    rows.push({
      location,
      effect: isRequest ? "adds" : "changes",
      message: isRequest ? `accepts ${added} now` : `may be ${added} now`,
    });
  return rows;
}

type Keywords = ReadonlyMap<string, readonly string[]>;

export const compareKeywords = (
  place: Place,
  location: string,
  before: Keywords,
  after: Keywords,
): Change[] =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((keyword) =>
    compareKeyword(
      place,
      location,
      keyword,
      before.get(keyword)?.join(" or "),
      after.get(keyword)?.join(" or "),
    ),
  );

const MAX_SHOWN_CHARACTERS = 60;

function compareKeyword(
  place: Place,
  location: string,
  keyword: string,
  before: string | undefined,
  after: string | undefined,
): Change[] {
  if (before === after) return [];
  const effect = judgeKeyword(place, keyword, before, after);
  const isLong =
    isWords(keyword) ||
    [before, after].some((text) => /^[[{]/.test(text ?? "") || (text?.length ?? 0) > MAX_SHOWN_CHARACTERS);
  const message =
    before === undefined
      ? `${keyword} is new${isLong ? "" : `: ${after}`}`
      : after === undefined
        ? `${keyword} is gone`
        : isLong
          ? `${keyword} differs`
          : `${keyword} is ${after}, was ${before}`;
  return [{ location, effect, message }];
}

export const compareMembers = (location: string, before: Node, after: Node): Change[] =>
  unionKeys(before, after).flatMap((name) =>
    compareKeyword("description", location, name, toText(before[name]), toText(after[name])),
  );

const toText = (value: unknown): string | undefined =>
  value === undefined ? undefined : toCanonicalJson(value);

export function compareDeep(place: Place, location: string, before: unknown, after: unknown): Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, now] = [asContainer(before), asContainer(after)];
  const [name = "", ...rest] = location.split(" ").reverse();
  if (!old || !now || isWords(name))
    return compareKeyword(place, rest.reverse().join(" "), name, toText(before), toText(after));
  return unionKeys(old, now).flatMap((each) =>
    compareDeep(place, `${location} ${each}`.trim(), old[each], now[each]),
  );
}

const asContainer = (value: unknown): Node | null =>
  typeof value === "object" && value !== null ? (value as Node) : null;

export function compareSecurity(before: unknown, after: unknown): Change[] {
  const read = (security: unknown): string[] =>
    asList(security).map((way) => Object.keys(asRecord(way)).sort().join(" and ") || "nothing");
  const [old, now] = [read(before), read(after)];
  const row = (effect: Effect, message: string): Change => ({
    location: "security",
    effect,
    message,
  });
  const gone = old
    .filter((way) => !now.includes(way))
    .map((way) => row("breaks", `no longer accepts ${way}`));
  const added = now.filter((way) => !old.includes(way)).map((way) => row("adds", `accepts ${way} now`));
  return [...gone, ...added];
}
