import { CONTRACT_PAGING, readParameter } from "../paging.ts";
import { formatPlace, isWithin, type Place, parsePlace, valueAtPlace } from "../places.ts";
import type { OpenPoint, PagingForm } from "../service-form.ts";
import { isParameter, learnAskedPages, learnOffsets } from "./asked-pages.ts";
import { type FoundList, listItems } from "./find-records.ts";
import { listLeaves, normalizeName, openPoint, queryOf, type Sample } from "./samples.ts";

const SIZE_NAMES = /limit|size|count|per_?page|take|max|^n$/i;
const NEXT = /next/;
const ROLES = [
  ["hasMore", /^(has)?(more|next)$/],
  ["total", /^(total|totalcount|count|totalitems|totalelements|totalrows)$/],
  ["pages", /^(pages|totalpages|pagecount)$/],
] as const;

/** The paging of a list, by its links and by what stands beside the items; undefined where nothing shows it. */
export function learnPaging(
  samples: readonly Sample[],
  list: FoundList,
): { paging?: PagingForm; explained: readonly Place[]; open: readonly OpenPoint[] } {
  const beside = samples
    .flatMap(({ document }) => listLeaves(document))
    .filter(({ place }) => !isWithin(place, list.place));
  const roles = ROLES.flatMap(([role, pattern]) => {
    const found = new Map(
      beside
        .filter(({ place, value }) => pattern.test(normalizeName(place.at(-1) ?? "")) && isRole(role, value))
        .map(({ place }) => [formatPlace(place), place]),
    );
    const [only, ...others] = [...found.values()];
    return only && others.length === 0 ? [[role, only] as const] : [];
  });
  const members = Object.fromEntries(roles.map(([role, place]) => [role, formatPlace(place)]));
  const explained = roles.map(([, place]) => place);
  for (const sample of samples) {
    const link = findNextLink(sample.headers.link ?? "");
    const found = link === null ? beside.find(({ place, value }) => isNextUrl(place, value)) : undefined;
    const target = link ?? (found && String(found.value));
    const parameters = target ? readParameters(sample, list, target) : null;
    if (!parameters) continue;
    const value = readParameter(target ?? "", parameters.parameter ?? "");
    const cursor = beside.find((leaf) => leaf.value === value);
    const place = formatPlace((found ?? cursor)?.place ?? []);
    const numbers = { ...learnNumbers(samples, list, parameters), ...learnSelf(samples, list) };
    return {
      paging: {
        ...parameters,
        ...members,
        ...numbers,
        ...(place !== "" && { next: place }),
        ...(found ? { isUrl: true } : { link: true }),
        ...(target?.startsWith("http") && { isAbsolute: true }),
      },
      explained: [
        ...explained,
        ...Object.values(numbers).map(parsePlace),
        ...[found, cursor].flatMap((leaf) => (leaf ? [leaf.place] : [])),
      ],
      open: [],
    };
  }
  const named = beside.find(({ place }) => normalizeName(place.at(-1) ?? "") === "nextcursor");
  if (named) {
    const next = formatPlace(named.place);
    const paging = { ...CONTRACT_PAGING, next };
    return { ...(next !== CONTRACT_PAGING.next && { paging }), explained: [named.place], open: [] };
  }
  const asked = learnAskedPages(samples, list);
  if (asked)
    return {
      paging: { ...asked.paging, ...members },
      explained: [...explained, ...asked.explained],
      open: [],
    };
  const offsets = learnOffsets(samples, list, members.pages !== undefined);
  if (offsets) return { paging: { ...offsets, ...members }, explained, open: [] };
  const unnamed = beside.filter(
    ({ place, value }) => value !== null && NEXT.test(normalizeName(place.at(-1) ?? "")),
  );
  const shown = new Set([...explained, ...unnamed.map(({ place }) => place)].map(formatPlace));
  const { id = "" } = samples[0]?.operation ?? {};
  const open = openPoint(`${id} paging`, [...shown].join(", "), "no link shows its parameters");
  return { explained: [], open: shown.size > 0 ? [open] : [] };
}

/** Where the URL of the page itself stands. */
function learnSelf(samples: readonly Sample[], list: FoundList): Pick<PagingForm, "self"> {
  const pathOf = (url: unknown) => String(url).replace(/^https?:\/\/[^/]+|\?.*$/gs, "");
  const isSelf = ({ document, path }: Sample, place: Place) =>
    place.includes("self") && pathOf(valueAtPlace(document, place)).endsWith(pathOf(path));
  const [first] = samples;
  const places = listLeaves(first?.document).map(({ place }) => place);
  const [only, ...others] = places.filter(
    (place) => !isWithin(place, list.place) && samples.every((sample) => isSelf(sample, place)),
  );
  return only && others.length === 0 ? { self: formatPlace(only) } : {};
}

/** Where the number of a page and its size stand, as they were asked for. */
function learnNumbers(
  samples: readonly Sample[],
  list: FoundList,
  { kind, parameter = "", size = "", rows, first = 1 }: PagingForm,
): Pick<PagingForm, "current" | "count"> {
  if (kind !== "page") return {};
  const find = (name: string, unasked: number | undefined) => {
    const wanted = samples.map(({ path }) => {
      const asked = queryOf({ path }).get(name);
      return asked === null ? unasked : Number(asked);
    });
    const shown = samples.map(({ document }) => listLeaves(document));
    const places = (shown[0] ?? []).map(({ place }) => place).filter((place) => !isWithin(place, list.place));
    const [only, ...others] = places.filter((place) =>
      shown.every((leaves, index) =>
        leaves.some((leaf) => formatPlace(leaf.place) === formatPlace(place) && leaf.value === wanted[index]),
      ),
    );
    return only && others.length === 0 && new Set(wanted).size > 1 ? formatPlace(only) : undefined;
  };
  const [current, count] = [find(parameter, first), find(size, rows)];
  return { ...(current !== undefined && { current }), ...(count !== undefined && { count }) };
}

const isRole = (role: string, value: unknown): boolean =>
  role === "hasMore" ? /^(true|false|yes|no)$/.test(String(value)) : /^\d+$/.test(String(value));

const isNextUrl = (place: Place, value: unknown): boolean =>
  typeof value === "string" && value.includes("?") && place.some((name) => NEXT.test(normalizeName(name)));

/** RFC 8288 §3. */
function findNextLink(header: string): string | null {
  const next = header.split(/,\s*(?=<)/).find((link) => /;\s*rel="?[^";]*\bnext\b/i.test(link));
  return /^\s*<([^>]*)>/.exec(next ?? "")?.[1] ?? null;
}

function readParameters({ path, document }: Sample, list: FoundList, target: string): PagingForm | null {
  const sent = queryOf({ path });
  const rows = listItems(document, list).length;
  const names = [...queryOf({ path: target }).keys()].filter(isParameter);
  const size = names.find((name) => SIZE_NAMES.test(name) && /^\d+$/.test(readParameter(target, name) ?? ""));
  const parameter = names.find((name) => name !== size && sent.get(name) !== readParameter(target, name));
  if (parameter === undefined) return null;
  const value = readParameter(target, parameter) ?? "";
  const before = Number(sent.get(parameter) ?? 0);
  const kind = !/^\d+$/.test(value)
    ? "cursor"
    : Number(value) === before + rows && rows > 2
      ? "offset"
      : "page";
  const limit = size === undefined || sent.has(size) ? null : Number(readParameter(target, size));
  return {
    kind,
    parameter,
    ...(size !== undefined && { size }),
    ...(limit !== null && { rows: limit }),
    ...(kind === "page" && value === "1" && { first: 0 }),
  };
}
