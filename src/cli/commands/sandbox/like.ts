import type { SandboxLike } from "../../../../sandbox/index.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";

/** Lines at the start; `claims sandbox status` lists all. */
const MAX_LINES = 20;
const MAX_SUBJECTS = 3;

/** Says what a sandbox does otherwise than the service that it has the form of. */
export function printNotImitated(context: Context, like: SandboxLike | null): void {
  if (!like) return;
  if (like.isStale)
    printMessage(
      context,
      "warning: the form was compared with another version of the contract; run `claims contract learn` again",
    );
  printMessage(context, `the sandbox is like ${describeLike(like)}`);
  const lines = describeNotImitated(like);
  for (const line of lines.slice(0, MAX_LINES)) printMessage(context, `not imitated: ${line}`);
  const more = lines.length - MAX_LINES;
  if (more > 0) printMessage(context, `not imitated: ${more} more; see \`claims sandbox status\``);
}

/** One line for all subjects that differ in the same. */
function describeNotImitated({ notImitated }: SandboxLike): string[] {
  const subjects = new Map<string, string[]>();
  for (const { subject, seen, reason } of notImitated) {
    const what = `${seen} (${reason})`;
    subjects.set(what, [...(subjects.get(what) ?? []), subject]);
  }
  return [...subjects].map(([what, names]) => {
    const more = names.length - MAX_SUBJECTS;
    return `${names.slice(0, MAX_SUBJECTS).join(", ")}${more > 0 ? ` and ${more} more` : ""}: ${what}`;
  });
}

export const describeLike = ({ observedAt, notImitated }: SandboxLike): string =>
  `the service ${observedAt === null ? "of a form by hand" : `seen at ${observedAt}`}; ${formatCount(notImitated.length, "difference")} not imitated`;
