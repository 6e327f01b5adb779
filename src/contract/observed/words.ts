/** Interface §3 names these states of a job; what is seen of a service does not rename them. */
export const DOCUMENTED_STATES: readonly string[] = ["partial", "failed"];

/** Other names that services give to the states that we assume. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  queued: ["pending", "accepted", "submitted", "received", "waiting", "scheduled", "created", "new"],
  processing: ["running", "inprogress", "working", "started", "active"],
  completed: ["complete", "succeeded", "success", "successful", "done", "finished"],
};

const toLetters = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, "");

/**
 * Our word → the word that was seen in its place, and the seen words that stand for none of ours.
 *
 * @param completed the states of jobs that had a report
 */
export function matchWords(ours: readonly string[], seen: readonly string[], completed: readonly string[]) {
  const names = new Map<string, string>();
  const unknown: string[] = [];
  for (const word of seen.filter((each) => !ours.includes(each))) {
    const letters = toLetters(word);
    const own = ours.find(
      (each) =>
        !seen.includes(each) &&
        !names.has(each) &&
        !DOCUMENTED_STATES.includes(each) &&
        (toLetters(each) === letters ||
          SYNONYMS[each]?.includes(letters) ||
          (each === "completed" && completed.includes(word))),
    );
    if (own === undefined) unknown.push(word);
    else names.set(own, word);
  }
  const [last, ...others] = unknown;
  const [missing, ...more] = ours.filter((each) => !isSettled(each, seen, names));
  // A job has one state before its end besides queued: what is left over is that one.
  if (last === undefined || missing !== "processing" || others.length + more.length > 0)
    return { names, unknown };
  return { names: names.set(missing, last), unknown: [] };
}

const isSettled = (word: string, seen: readonly string[], names: ReadonlyMap<string, string>): boolean =>
  seen.includes(word) || names.has(word) || DOCUMENTED_STATES.includes(word);
