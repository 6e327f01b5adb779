import { groupBy } from "../../../domain/group-by.ts";
import { isRecord, parseJsonText } from "../../../domain/json.ts";
import { listUuids } from "../../../domain/uuid.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import { buildRequestRecord } from "../contract-records.ts";
import { type Place, parsePlace, valueAtPlace } from "../places.ts";
import type { RequestForm, Row } from "../service-form.ts";
import { isParameter } from "./asked-pages.ts";
import { hasOnlyCommonWords } from "./common-words.ts";
import type { KnownValues } from "./known-values.ts";
import { proposeRows } from "./propose-rows.ts";
import { isIdentifier, queryOf, type Sample } from "./samples.ts";

/** The names that accepted requests have, each by its name or by a value that is known from elsewhere. */
export function learnRequests(samples: readonly Sample[], known: KnownValues) {
  const accepted = samples.filter(({ status }) => status < 300);
  const groups = [...groupBy(accepted, ({ operation }) => operation.id)];
  return new Map(groups.map(([id, own]) => [id, { ...learnQuery(own, known), ...learnBody(own, known) }]));
}

function learnBody(samples: readonly Sample[], known: KnownValues): RequestForm {
  const record = samples[0] && buildRequestRecord(samples[0].operation);
  const bodies = samples.map(({ requestBody }) => parseJsonText(requestBody)).filter(isRecord);
  if (!record || bodies.length === 0) return {};
  const rows: Readonly<Record<string, Row>> =
    proposeRows(record, bodies, known).records.get(record.name) ?? {};
  const required: readonly string[] = samples[0]?.operation.request?.schema.required ?? [];
  // That accepted requests had no field shows something only of a field that the contract requires.
  const missing = required.filter(
    (name) => !rows[name] && bodies.every((body) => !Object.hasOwn(body, name)),
  );
  // A name that is not in each of several bodies could be a key of a map.
  const isNamed = (at: Place) =>
    at.every(hasOnlyCommonWords) ||
    (bodies.length > 1 && bodies.every((body) => valueAtPlace(body, at) !== undefined));
  const named = Object.entries(rows).filter(([name, row]) => {
    const at = parsePlace(typeof row === "string" ? row : (row?.at ?? name));
    return row && at.every(isIdentifier) && isNamed(at);
  });
  const found = [...named, ...missing.map((name) => [name, null])];
  return found.length > 0 ? { request: Object.fromEntries(found) } : {};
}

/** A parameter whose values are known ids: `endpointId` under another name. */
function learnQuery(samples: readonly Sample[], known: KnownValues): RequestForm {
  const names = Object.keys(samples[0]?.operation.query?.properties ?? {});
  const sent = samples.flatMap(({ path }) => [...queryOf({ path })]);
  const found = names.flatMap((name) => {
    const own = sent.filter(([, value]) => known.has(name, value)).map(([theirs]) => theirs);
    const [only, ...others] = new Set(own);
    return only !== undefined && others.length === 0 && only !== name && isParameter(only)
      ? [[name, only] as const]
      : [];
  });
  return found.length > 0 ? { query: Object.fromEntries(found) } : {};
}

const FIELD = /name="seller_name"\r?\n(?:[^\r\n]+\r?\n)*\r?\n([^\r\n]+)\r?\n/;

/** The values of a submitted form that other responses can have: a client is an importer of entries. */
export function noteSubmission({ operation, requestBody }: Sample, known: KnownValues): void {
  if (operation.id !== OPERATIONS.diligence.submit.id) return;
  known.add("sellerName", FIELD.exec(requestBody)?.[1]);
  const lines = requestBody.split(/\r?\n/).map((line) => line.split(","));
  const head = lines.find((cells) => cells.includes("entry_number")) ?? [];
  for (const cells of lines.slice(lines.indexOf(head) + 1)) {
    known.add("entryNumber", cells[head.indexOf("entry_number")]);
    known.add("importerName", cells[head.indexOf("importer_name")]);
    known.add("importerNumber", cells[head.indexOf("importer_number")]);
  }
}

/** Whether two writes with one key made two things: no id of one is in the other. */
export function ignoresKeys(samples: readonly Sample[]): boolean {
  const written = samples.filter(
    ({ status, idempotencyKey }) => status < 300 && idempotencyKey !== undefined,
  );
  const idsOf = ({ body, headers }: Sample) => listUuids(`${body} ${headers.location}`);
  const pairs = [...groupBy(written, ({ operation, idempotencyKey }) => `${operation.id} ${idempotencyKey}`)]
    .map(([, [one, other]]) => [one, other].map((each) => (each ? idsOf(each) : [])))
    .filter((ids) => ids.every(({ length }) => length > 0));
  return pairs.length > 0 && pairs.every(([one = [], other = []]) => !one.some((id) => other.includes(id)));
}
