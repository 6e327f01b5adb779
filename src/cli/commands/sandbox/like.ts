import type { SandboxLike } from "../../../../sandbox/index.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";

/** Lines at the start; `claims sandbox status` lists all. */
const MAX_LINES = 20;

/** Says what a sandbox does otherwise than the observed service that it has the form of. */
export function printNotImitated(context: Context, like: SandboxLike | null): void {
  if (!like) return;
  if (like.isStale)
    printMessage(
      context,
      "warning: the observed service was compared with another version of the contract; run `claims contract learn` again",
    );
  const { notImitated } = like;
  printMessage(context, describeLike(like));
  for (const { subject, seen, reason } of notImitated.slice(0, MAX_LINES))
    printMessage(context, `not imitated: ${subject}: ${seen} (${reason})`);
  if (notImitated.length > MAX_LINES)
    printMessage(
      context,
      `not imitated: ${notImitated.length - MAX_LINES} more; see \`claims sandbox status\``,
    );
}

/** After a command that failed: in what the service that it used differs from the contract. */
export function printApplied(context: Context, like: SandboxLike | null): void {
  const applied = like?.applied ?? [];
  if (applied.length === 0) return;
  printMessage(context, "the command met what the observed service does otherwise than is assumed:");
  for (const { operation, subject, seen } of applied.slice(0, MAX_LINES))
    printMessage(context, `differs: ${operation} ${subject}: ${seen}`);
  if (applied.length > MAX_LINES)
    printMessage(
      context,
      `differs: ${applied.length - MAX_LINES} more; see \`claims contract assumptions --observed\``,
    );
}

export const describeLike = ({ observedAt, notImitated }: SandboxLike): string =>
  `the form of the service seen at ${observedAt}; ${formatCount(notImitated.length, "difference")} not imitated`;
