// What a person adds to a learned form with the documentation of the service: NAME/by-hand.json.
import { readFileSync } from "node:fs";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** RFC 7396. */
function mergePatch(target, patch) {
  if (!isObject(patch)) return patch;
  const merged = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

/**
 * The learned form with a merge patch. A merge patch would replace the list `open`: its lines are added, and a line about
 * a field that the patch has a row for goes.
 */
export function editByHand(learned, { open, ...patch }) {
  const answered = new Set(
    Object.entries(patch.records ?? {}).flatMap(([record, { fields = {} }]) =>
      Object.keys(fields).map((field) => `${record}.${field}`),
    ),
  );
  const left = (learned.open ?? []).filter(({ subject }) => !answered.has(subject));
  return { ...mergePatch(learned, patch), open: [...left, ...open] };
}

/** The choice that a line names: `clients.list no-route`. */
const choiceOf = ({ subject }) => subject.split(" ").at(-1);

export const readByHand = (folder) => JSON.parse(readFileSync(new URL(`${folder}/by-hand.json`, import.meta.url), "utf8"));

/** The choices that the file lists, each once. @param notImitated what the sandbox listed at its start */
export function listChoices({ open }, notImitated, choices) {
  const ids = new Set(choices.map(({ id }) => id));
  const listed = new Set();
  for (const line of open) {
    const id = choiceOf(line);
    if (!ids.has(id)) throw new Error(`by-hand.json: no choice ${id}`);
    if (listed.has(id)) throw new Error(`by-hand.json: ${id} is listed twice`);
    if (!notImitated.some(({ subject, reason }) => subject === line.subject && reason === line.reason))
      throw new Error(`the sandbox does not list ${line.subject}`);
    listed.add(id);
  }
  return listed;
}
