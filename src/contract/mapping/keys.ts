import { ALL_OPERATIONS } from "../operations/operations.ts";
import type { LineKind } from "./mapping.ts";
import { listBodyNames, listQueryNames, listSubjects, type Subject } from "./subjects.ts";

const FIXED_KEYS = {
  description: "comment",
  "submitted.id": "place",
  "submitted.body": "none",
  "resume.body": "none",
  "job.words": "words",
  "scan.words": "words",
  "dataset.csv": "csv",
  paging: "paging",
  "error.code": "path",
  "error.message": "path",
  "error.words": "errorWords",
  times: "times",
} as const satisfies Readonly<Record<string, LineKind>>;

let all: ReadonlyMap<string, LineKind> | undefined;

/** Every key of a mapping, with the kind of its line. */
export const listKeys = (): ReadonlyMap<string, LineKind> =>
  (all ??= new Map<string, LineKind>([
    ...listSubjects().flatMap(listKeysOf),
    ...ALL_OPERATIONS.flatMap(listQueryNames).map((name) => [`query.${name}`, "name"] as const),
    ...ALL_OPERATIONS.flatMap(listBodyNames).map((name) => [`body.${name}`, "path"] as const),
    ...Object.entries(FIXED_KEYS),
  ]));

function listKeysOf({ name, fields, isList }: Subject): (readonly [string, LineKind])[] {
  const lines = fields.map((field) => {
    const kind = field.isAmount ? "amount" : isList && field.name === "id" ? "id" : "path";
    return [`${name}.${field.name}`, kind] as const;
  });
  if (isList) return [[name, "items"], [`${name}.paging`, "paging"], ...lines];
  // A job has no document of its own: its fields stand beside its id.
  return name === "job" || name === "submitted" ? lines : [[name, "path"], ...lines];
}
