import { isDeepStrictEqual } from "node:util";
import { toCanonicalJson } from "../hash.ts";
import { asList, asRecord, type Node, type SchemaView, unionKeys } from "./contract-reader.ts";
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

/** What is compared, and where it is. */
interface Spot {
  readonly place: Place;
  readonly location: string;
}

type Texts = readonly string[];

export function compareRequired({ place, location }: Spot, before: boolean, after: boolean): Change[] {
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

export function compareTypes({ place, location }: Spot, before: Texts, after: Texts): Change[] {
  if (before.join() === after.join()) return [];
  const describe = (types: Texts) => types.join(" or ") || "anything";
  const includes = (outer: Texts, inner: Texts) =>
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
  { place, location }: Spot,
  before: Texts | null,
  after: Texts | null,
): Change[] {
  const isRequest = place === "request";
  const row = (requestEffect: Effect, requestMessage: string, message: string): Change => ({
    location,
    effect: isRequest ? requestEffect : "changes",
    message: isRequest ? requestMessage : message,
  });
  if (!before || !after) {
    if (before === after) return [];
    const message = after ? `is only ${after.join(", ")} now` : "may be any value now";
    return [row(after ? "breaks" : "adds", message, message)];
  }
  const [old, now] = [new Set(before), new Set(after)];
  const gone = before.filter((value) => !now.has(value)).join(", ");
  const added = after.filter((value) => !old.has(value)).join(", ");
  return [
    ...(gone ? [row("breaks", `no longer accepts ${gone}`, `is never ${gone} now`)] : []),
    ...(added ? [row("adds", `accepts ${added} now`, `may be ${added} now`)] : []),
  ];
}

export function compareKeywords(
  spot: Spot,
  { keywords: before }: SchemaView,
  { keywords: after }: SchemaView,
): Change[] {
  const read = (keywords: SchemaView["keywords"], keyword: string) => keywords.get(keyword)?.join(" or ");
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((keyword) =>
    compareKeyword(spot, keyword, read(before, keyword), read(after, keyword)),
  );
}

const MAX_SHOWN_CHARACTERS = 60;

function compareKeyword(
  { place, location }: Spot,
  keyword: string,
  before?: string,
  after?: string,
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
    compareKeyword({ place: "description", location }, name, toText(before[name]), toText(after[name])),
  );

const toText = (value: unknown): string | undefined =>
  value === undefined ? undefined : toCanonicalJson(value);

export function compareDeep(place: Place, location: string, before: unknown, after: unknown): Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, now] = [asContainer(before), asContainer(after)];
  const [name = "", ...rest] = location.split(" ").reverse();
  if (!old || !now || isWords(name))
    return compareKeyword({ place, location: rest.reverse().join(" ") }, name, toText(before), toText(after));
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
  const gone = old.filter((way) => !now.includes(way)).map((way) => `no longer accepts ${way}`);
  const added = now.filter((way) => !old.includes(way)).map((way) => `accepts ${way} now`);
  return [
    ...gone.map((message): Change => ({ location: "security", effect: "breaks", message })),
    ...added.map((message): Change => ({ location: "security", effect: "adds", message })),
  ];
}
