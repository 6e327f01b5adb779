import { isRecord } from "../../../domain/json.ts";
import { escapePointer, unescapePointer } from "../../../domain/json-pointer.ts";
import type { Evidence } from "../evidence.ts";
import { putAtPlace } from "../places.ts";
import { FORM_VERSION, type ServiceForm } from "../service-form.ts";

function listLines(form: object, at = ""): Map<string, unknown> {
  const lines = new Map<string, unknown>();
  for (const [name, value] of Object.entries(form)) {
    const place = `${at}/${escapePointer(name)}`;
    if (IGNORED.has(place)) continue;
    const isRow = /^\/records\/[^/]+\/fields\/[^/]+$/.test(place);
    if (isRecord(value) && !isRow)
      for (const [inner, line] of listLines(value, place)) lines.set(inner, line);
    else lines.set(place, value);
  }
  return lines;
}

const IGNORED: ReadonlySet<string> = new Set(["/evidence", "/open", "/serviceForm", "/$schema"]);

/** Keeps each line that a person wrote; what learning wrote before, it may write anew. */
export function mergeForms(earlier: ServiceForm, later: ServiceForm) {
  const ours = new Set(earlier.evidence?.learned ?? []);
  const before = listLines(earlier);
  const after = listLines(later);
  const lines = new Map<string, unknown>();
  const differences: string[] = [];
  const learned = new Set<string>();
  for (const [at, value] of before) {
    const isSeenAgain = after.has(at) && JSON.stringify(after.get(at)) !== JSON.stringify(value);
    if (!ours.has(at) && isSeenAgain) differences.push(at);
    if (ours.has(at)) learned.add(at);
    lines.set(at, ours.has(at) && after.has(at) ? joinWords(value, after.get(at)) : value);
  }
  for (const [at, value] of after) {
    if (lines.has(at)) continue;
    lines.set(at, value);
    learned.add(at);
  }
  const form = buildForm(lines);
  const open = (later.open ?? earlier.open ?? []).filter(({ subject }) => !hasRow(form, subject));
  const evidence = mergeEvidence(earlier.evidence, later.evidence, [...learned]);
  return {
    form: {
      ...form,
      ...(open.length > 0 && { open }),
      ...(evidence && { evidence }),
    },
    differences,
  };
}

/** Each run shows some of the words of a state. */
function joinWords(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after) || !isRecord(before.words) || !isRecord(after.words))
    return after;
  // What the word of a state means, the later run may have seen better.
  const later = new Set(Object.values(after.words));
  const kept = Object.entries(before.words).filter(([, word]) => !later.has(word));
  return { ...after, words: { ...Object.fromEntries(kept), ...after.words } };
}

/** A form that learning alone wrote. */
export function markLearned(form: ServiceForm): ServiceForm {
  const { evidence } = form;
  return evidence ? { ...form, evidence: { ...evidence, learned: [...listLines(form).keys()] } } : form;
}

/** Whether a person has given a row for what was open: `Client.name`. */
function hasRow({ records = {} }: ServiceForm, subject: string): boolean {
  return Object.entries(records).some(([name, { fields = {} }]) =>
    Object.keys(fields).some((field) => subject === `${name}.${field}`),
  );
}

function buildForm(lines: ReadonlyMap<string, unknown>): ServiceForm {
  const form: Record<string, unknown> = { serviceForm: FORM_VERSION };
  for (const [pointer, value] of lines) {
    const names = pointer.slice(1).split("/").map(unescapePointer);
    putAtPlace(form, names, value);
  }
  return form as unknown as ServiceForm;
}

function mergeEvidence(
  earlier: Evidence | undefined,
  later: Evidence | undefined,
  learned: string[],
): Evidence | undefined {
  if (!earlier || !later) return later ? { ...later, learned } : earlier;
  const responses = new Map(earlier.responses.map((each) => [`${each.operation} ${each.status}`, each]));
  for (const each of later.responses) {
    const known = responses.get(`${each.operation} ${each.status}`);
    responses.set(`${each.operation} ${each.status}`, { ...each, count: each.count + (known?.count ?? 0) });
  }
  return {
    ...earlier,
    ...later,
    firstAt: earlier.firstAt < later.firstAt ? earlier.firstAt : later.firstAt,
    lastAt: earlier.lastAt > later.lastAt ? earlier.lastAt : later.lastAt,
    serviceContractHash: later.serviceContractHash ?? earlier.serviceContractHash,
    responses: [...responses.values()],
    learned,
    findings: [
      ...new Map(
        [...earlier.findings, ...later.findings].map((each) => [`${each.operation} ${each.subject}`, each]),
      ).values(),
    ],
  };
}
