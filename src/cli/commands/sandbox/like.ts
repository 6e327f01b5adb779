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
  printFirst(context, "not imitated", describeNotImitated(like), "see `claims sandbox status`");
}

/** @param where all lines are */
function printFirst(context: Context, label: string, lines: readonly string[], where: string): void {
  for (const line of lines.slice(0, MAX_LINES)) printMessage(context, `${label}: ${line}`);
  if (lines.length > MAX_LINES) printMessage(context, `${label}: ${lines.length - MAX_LINES} more; ${where}`);
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

/** After a command that failed: in what the service that it used differs from the contract. */
export function printApplied(context: Context, like: SandboxLike | null): void {
  const applied = like?.applied ?? [];
  if (applied.length === 0) return;
  printMessage(context, "the command met what the service does otherwise than is assumed:");
  const lines = applied.map(({ operation, subject, seen }) => `${operation} ${subject}: ${seen}`);
  printFirst(context, "differs", lines, "the form has all");
}

export const describeLike = ({ observedAt, notImitated }: SandboxLike): string =>
  `the service ${observedAt === null ? "of a form by hand" : `seen at ${observedAt}`}; ${formatCount(notImitated.length, "difference")} not imitated`;
