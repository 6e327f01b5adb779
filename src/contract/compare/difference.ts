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

type Verdict = readonly [effect: Effect, message: string];

const judgeSide = ({ place, location }: Spot, ofRequest: Verdict, ofResponse: Verdict): Change => {
  const [effect, message] = place === "request" ? ofRequest : ofResponse;
  return { location, effect, message };
};

export function compareRequired(spot: Spot, before: boolean, after: boolean): Change[] {
  if (before === after) return [];
  return after
    ? [judgeSide(spot, ["breaks", "is required now"], ["adds", "is never missing now"])]
    : [judgeSide(spot, ["adds", "is no longer required"], ["changes", "may be missing now"])];
}

export function compareTypes({ place, location }: Spot, before: Texts, after: Texts): Change[] {
  if (before.join() === after.join()) return [];
  const describe = (types: Texts) => types.join(" or ") || "anything";
  const message = `is ${describe(after)}, was ${describe(before)}`;
  return [{ location, effect: judgeTypes(place, before, after), message }];
}

function judgeTypes(place: Place, before: Texts, after: Texts): Effect {
  if (place === "request") return allowsTypes(after, before) ? "adds" : "breaks";
  if (place === "assumed response") return "changes";
  return allowsTypes(before, after) ? "changes" : "breaks";
}

/** Whether each of the inner types is allowed; no types allow any. */
const allowsTypes = (outer: Texts, inner: Texts): boolean =>
  outer.length === 0 || (inner.length > 0 && inner.every((type) => outer.includes(type)));

/** @param before the allowed values; null for any */
export function compareValues(spot: Spot, before: Texts | null, after: Texts | null): Change[] {
  if (before === null && after === null) return [];
  if (before === null || after === null) {
    const message = after === null ? "may be any value now" : `is only ${after.join(", ")} now`;
    return [judgeSide(spot, [after === null ? "adds" : "breaks", message], ["changes", message])];
  }
  const [gone, added] = [listMissing(before, after), listMissing(after, before)];
  const ofGone = judgeSide(
    spot,
    ["breaks", `no longer accepts ${gone}`],
    ["changes", `is never ${gone} now`],
  );
  const ofAdded = judgeSide(spot, ["adds", `accepts ${added} now`], ["changes", `may be ${added} now`]);
  return [...(gone === "" ? [] : [ofGone]), ...(added === "" ? [] : [ofAdded])];
}

/** The values that the others do not have. */
function listMissing(values: Texts, others: Texts): string {
  const known = new Set(others);
  return values.filter((value) => !known.has(value)).join(", ");
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
  return [{ location, effect, message: describeKeywordChange(keyword, before, after) }];
}

function describeKeywordChange(keyword: string, before?: string, after?: string): string {
  const isShown = !isWords(keyword) && isShort(before) && isShort(after);
  if (before === undefined) return isShown ? `${keyword} is new: ${after}` : `${keyword} is new`;
  if (after === undefined) return `${keyword} is gone`;
  return isShown ? `${keyword} is ${after}, was ${before}` : `${keyword} differs`;
}

const isShort = (text = ""): boolean => !/^[[{]/.test(text) && text.length <= MAX_SHOWN_CHARACTERS;

/** @param others names that are compared in another way */
export const compareMembers = (location: string, before: Node, after: Node, others: Texts): Change[] => {
  const spot = { place: "description", location } as const;
  const names = unionKeys(before, after).filter((name) => !others.includes(name));
  return names.flatMap((name) => compareKeyword(spot, name, toText(before[name]), toText(after[name])));
};

const toText = (value: unknown): string | undefined =>
  value === undefined ? undefined : toCanonicalJson(value);

export function compareDeep(place: Place, location: string, before: unknown, after: unknown): Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, now] = [asContainer(before), asContainer(after)];
  const words = location.split(" ");
  const name = words.at(-1) ?? "";
  if (!old || !now || isWords(name)) {
    const parent = words.slice(0, -1).join(" ");
    return compareKeyword({ place, location: parent }, name, toText(before), toText(after));
  }
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
