import { SIGNATURE_HEADER } from "../headers.ts";
import { MIN_BODY_SCORE } from "./body-candidates.ts";
import { isWithoutNames, mentionsServiceHeader } from "./header-notation.ts";
import { listValuesInText, readNamedValues } from "./named-values.ts";
import { readIdsOfText } from "./request-ids.ts";
import { findBodiesInText, findSpans, readTextFacts } from "./text-record.ts";

const START = /^\W*(?:[A-Z]+ \/\S* HTTP\/|.*\b(?:received|incoming|started (?:POST|PUT)|POST \/)\b)/i;

/** The line of an access log, or what a program prints of a response. */
const RESPONSE = /(?:HTTP\/[\d.]+"|->|=>|→) ?[1-5]\d\d\b/;

/** No group has more lines. */
const MAX_LINES = 2_000;

/**
 * Groups the lines of each delivery: by an id that its lines have before everything else, otherwise by their order. What
 * a group has already begins the next one. The number of a group is that of its first line, counted from 1.
 */
export function groupLines(lines: readonly string[]) {
  const ids = readIds(lines);
  const isPlain = lines.every(isWithoutNames);
  const kindsOf = lines.map(isPlain ? listPlainKinds : listKinds);
  const isById = hasSharedIds(kindsOf, ids);
  const groups: { number: number; lines: string[]; kinds: Set<string> }[] = [];
  const byId = new Map<string, (typeof groups)[number]>();
  let current: (typeof groups)[number] | undefined;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") {
      current?.lines.push(line);
      continue;
    }
    const id = isById ? ids[index] : undefined;
    const kinds = kindsOf[index] ?? [];
    const open: typeof current = id === undefined ? current : byId.get(id);
    // Two signatures, one a line, before anything else: what arrived and what was expected.
    const isPair = isPlain && open?.kinds.size === 1 && kinds.every((kind) => kind === "signature");
    const isNext =
      !open ||
      open.lines.length >= MAX_LINES ||
      (open.kinds.has("start") && kinds.includes("start") && !RESPONSE.test(line)) ||
      (id === undefined &&
        ((!isPair && kinds.some((kind) => open.kinds.has(kind))) ||
          (isFull(open.kinds) &&
            START.test(line) &&
            !RESPONSE.test(line) &&
            !isMissingTime(open.kinds, kinds))));
    current = isNext ? { number: index + 1, lines: [], kinds: new Set() } : open;
    if (isNext) groups.push(current);
    if (id !== undefined) byId.set(id, current);
    current.lines.push(line);
    for (const kind of kinds) current.kinds.add(kind);
  }
  return groups
    .filter(({ kinds }) => kinds.has("signature") || kinds.has("timestamp"))
    .map(({ number, lines: texts }) => ({ number, text: texts.join("\n") }));
}

/** The id of each line, if another line has it, too. A line without one continues the line before it. */
function readIds(lines: readonly string[]): readonly (string | undefined)[] {
  const all = lines.map(readIdsOfText);
  const counts = new Map<string, number>();
  for (const ids of all) for (const id of new Set(ids)) counts.set(id, (counts.get(id) ?? 0) + 1);
  let last: string | undefined;
  return all.map((ids) => {
    last = ids.find((id) => (counts.get(id) ?? 0) > 1) ?? last;
    return last;
  });
}

const isFull = (kinds: ReadonlySet<string>): boolean => kinds.has("signature") && kinds.has("body");

/** `received timestamp: 1796016199` goes on with a delivery that has no timestamp yet. */
const isMissingTime = (open: ReadonlySet<string>, [kind, ...others]: Kinds): boolean =>
  kind === "timestamp" && others.length === 0 && !open.has(kind);

type Kinds = readonly string[];

/** The names of interface §6, as logs write them. */
const HEADERS = ["signature", "timestamp", "event"].map(
  (kind) => [kind, new RegExp(`x[-_. ]?service[-_. ]?${kind}`, "i")] as const,
);

/** What a program made of the body to hash it, after the body: `params.to_json={…}`. */
const HASHED_TEXT = /\bto_json\W{1,3}\{/;

/** What a line has of a delivery under names of its own: each of them once in a record. */
function listPlainKinds(line: string): Kinds {
  const spans = findSpans(line);
  const values = [...readTextFacts(line, spans), ...listValuesInText(line)];
  const { headers, computed } = readNamedValues(values, undefined);
  return [
    ...headers.map(([name]) => (name === SIGNATURE_HEADER ? "signature" : "timestamp")),
    ...(computed === null ? [] : ["computed"]),
    ...(!HASHED_TEXT.test(line) && findBodiesInText(line, spans).some(({ score }) => score >= MIN_BODY_SCORE)
      ? ["body"]
      : []),
  ];
}

/** What a line has of a delivery. */
function listKinds(line: string): Kinds {
  const kinds = HEADERS.flatMap(([kind, pattern]) => (pattern.test(line) ? [kind] : []));
  // Of any request: the next lines belong to it.
  if (/(?:^\W*|: )(?:GET|HEAD|POST|PUT|PATCH|DELETE) (?:\/|https?:)\S* HTTP\//.test(line))
    kinds.push("start");
  if (/^\W*Host: /i.test(line)) kinds.push("host");
  const isBody =
    line.includes("{") &&
    findSpans(line).some(
      ({ text }) => text.length > 12 && /^\{\s*\\*["'x\\}]/.test(text) && !mentionsServiceHeader(text),
    );
  return isBody ? [...kinds, "body"] : kinds;
}

/** Whether the lines of one delivery, and of no other one, have the same id. */
function hasSharedIds(kindsOf: readonly Kinds[], ids: readonly (string | undefined)[]): boolean {
  const kinds = new Map<string, string[]>();
  for (const [index, all] of kindsOf.entries()) {
    const id = ids[index];
    if (id === undefined) {
      if (all.includes("signature")) return false;
      continue;
    }
    const found = all.filter((kind) => kind === "signature" || kind === "body");
    if (found.length > 0) kinds.set(id, [...(kinds.get(id) ?? []), ...found]);
  }
  const signed = [...kinds.values()].filter((each) => each.includes("signature"));
  const isOne = (each: readonly string[]) => each.filter((kind) => kind === "signature").length === 1;
  return signed.some((each) => each.includes("body")) && signed.filter(isOne).length >= signed.length / 2;
}
