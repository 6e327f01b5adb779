import { findContractResponse } from "../../../../contract/service-form/contract-records.ts";
import { listLeaves } from "../../../../contract/service-form/learn/samples.ts";
import { describeKind, isUuid } from "../../../../contract/service-form/learn/value-forms.ts";
import { formatPlace, isWithin, type Place, parsePlace } from "../../../../contract/service-form/places.ts";
import { bindRows } from "../../../../contract/service-form/rows.ts";
import type { ServiceForm } from "../../../../contract/service-form/service-form.ts";
import type { LiveRead } from "./live-reads.ts";

/** A place of a response, without indexes, and what became of it. */
export interface ComparedLeaf {
  readonly operation: string;
  readonly place: string;
  readonly result: "right" | "listed" | "silently wrong" | "not compared";
  readonly service: string;
  readonly sandbox: string;
}

const NUMBERS = new Set(["integer", "decimal"]);
const NOTHING = new Set(["null", "empty list", "empty object"]);

/** Compares the responses of the service and of the sandbox to the same read, place by place. */
export function compareLeaves(
  form: ServiceForm,
  service: LiveRead,
  sandbox: LiveRead | undefined,
): ComparedLeaf[] {
  const operation = service.isError ? `${service.operation.id} (error)` : service.operation.id;
  const kinds = listKinds(service);
  const others = sandbox ? listKinds(sandbox) : new Map<string, Set<string>>();
  const places = [...new Set([...kinds.keys(), ...others.keys()])];
  const isListed = createListed(form, service);
  return places.map((place) => {
    const theirs = kinds.get(place) ?? new Set();
    const ours = others.get(place) ?? new Set();
    return {
      operation,
      place: place || "(the document)",
      result:
        sandbox && !isInsideNothing(place, kinds) && !isInsideNothing(place, others)
          ? judge(theirs, ours, (isOwn) => isListed(place, isOwn))
          : "not compared",
      service: [...theirs].join(" or "),
      sandbox: [...ours].join(" or "),
    };
  });
}

const isNothing = (kinds: ReadonlySet<string>): boolean => [...kinds].every((kind) => NOTHING.has(kind));

/** Whether there is nothing at a place around this one, such as an empty list. */
function isInsideNothing(place: string, kinds: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const names = parsePlace(place);
  return names.some((_, level) => {
    const around = kinds.get(formatPlace(names.slice(0, level)));
    return around !== undefined && isNothing(around);
  });
}

function judge(
  theirs: ReadonlySet<string>,
  ours: ReadonlySet<string>,
  isListed: (isOwn: boolean) => boolean,
): ComparedLeaf["result"] {
  if ((theirs.size > 0 && isNothing(theirs)) || (ours.size > 0 && isNothing(ours))) return "not compared";
  const isSame = [...theirs].some(
    (kind) => ours.has(kind) || (NUMBERS.has(kind) && [...ours].some((other) => NUMBERS.has(other))),
  );
  if (isSame) return "right";
  return isListed(theirs.size === 0) ? "listed" : "silently wrong";
}

function listKinds({ sent, text, status }: LiveRead): Map<string, Set<string>> {
  const kinds = new Map<string, Set<string>>([["status", new Set([String(status)])]]);
  const leaves = sent === undefined ? [{ place: [] as Place, value: text }] : listLeaves(sent);
  for (const { place, value } of leaves) {
    const key = formatPlace(place.map((name) => (isUuid(name) ? "*" : name)));
    kinds.set(key, (kinds.get(key) ?? new Set()).add(describeKind(value)));
  }
  return kinds;
}

/** Whether the form names a place as not mapped: one of the service, or a field that the sandbox writes under its own name. */
function createListed(form: ServiceForm, { operation, isError }: LiveRead) {
  const open = form.open ?? [];
  if (isError) return () => open.some(({ subject }) => subject.startsWith("errors "));
  const own = form.operations?.[operation.id] ?? {};
  const { record, isPage } = findContractResponse(operation);
  const name = own.record ?? record.name;
  const prefix = isPage ? [...parsePlace(own.items ?? "data"), "*"] : parsePlace(own.at ?? "");
  const named = new Set(
    open.filter(({ subject }) => subject === operation.id).map(({ seen }) => seen.split(": ")[0]),
  );
  const hasUnnamed = open.some(
    ({ subject, seen }) => subject === operation.id && seen.endsWith("names are not kept"),
  );
  const fields = new Set(open.map(({ subject }) => subject));
  const rows = bindRows(form, record, name).flatMap(({ at, path }) =>
    at ? [{ place: [...prefix, ...at], path }] : [],
  );
  const isPaging = open.some(
    ({ subject }) => subject === `${operation.id} paging` || subject === `${operation.id} data`,
  );
  return (place: string, isOwn: boolean): boolean => {
    const names = parsePlace(place);
    const row = rows.find((each) => isWithin(names, each.place));
    const path = row ? [...row.path, ...names.slice(row.place.length).filter((part) => part !== "*")] : [];
    const isOpenField = path.some((_, level) =>
      fields.has(`${record.name}.${path.slice(0, level + 1).join(".")}`),
    );
    const isNested = [...fields].some((subject) =>
      row?.path.some((part) => subject.startsWith(`${record.name}.${part}`)),
    );
    if (isOpenField || (row && isNested)) return true;
    return isOwn ? isPaging : named.has(place) || hasUnnamed || isPaging;
  };
}
