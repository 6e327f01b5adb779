import { isRecord, isTooDeep } from "../../../domain/json.ts";
import { formatPath, type Path } from "../path.ts";

/** A value of a document that is no object and no list, with its place. */
export interface Leaf {
  readonly steps: Path;
  /** As a line of a mapping has it. */
  readonly path: string;
  readonly value: string | number | boolean | null;
}

/** A service may send any document. */
const MAX_LEAVES = 5_000;

/** The values of a document; of a list, those of its first item. */
export function listLeaves(document: unknown): readonly Leaf[] {
  const leaves: Leaf[] = [];
  if (!isTooDeep(document)) addLeaves(document, [], leaves);
  return leaves;
}

function addLeaves(value: unknown, steps: Path, leaves: Leaf[]): void {
  if (leaves.length >= MAX_LEAVES || value === undefined) return;
  const [first] = Array.isArray(value) ? value : [value];
  if (isRecord(first)) {
    const around = Array.isArray(value) ? markList(steps) : steps;
    for (const [name, inner] of Object.entries(first))
      addLeaves(inner, [...around, { name, isList: false }], leaves);
  } else if (!Array.isArray(value))
    leaves.push({ steps, path: formatPath(steps), value: value as Leaf["value"] });
}

/** A list as the whole document has no name to mark. */
const markList = (steps: Path): Path =>
  steps.map((step, index) => (index === steps.length - 1 ? { ...step, isList: true } : step));

export const nameOf = ({ steps }: Pick<Leaf, "steps">): string => steps.at(-1)?.name ?? "";
