import { ClaimsError } from "../../../../domain/errors.ts";
import type { ProbeAnswer } from "../../../../domain/webhooks/probe/answers.ts";
import { type CaseId, caseIds } from "../../../../domain/webhooks/probe/cases.ts";
import type { OptionValues } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import { closest } from "../../../did-you-mean.ts";
import type { Output } from "../../../output/output.ts";
import { startProgress } from "../../../progress.ts";
import { parseTarget } from "../listen/routes.ts";
import { requireOneStdin } from "../one-stdin.ts";
import type { probeOptions } from "../probe.ts";
import { casesOutput, reportOutput } from "./report.ts";
import { senderTo } from "./send.ts";

type ProbeOptions = OptionValues<typeof probeOptions>;

/** A receiver that has not answered so many deliveries, from the first, will not answer the next one. */
const ENOUGH = 3;

/** Sends every case to the receiver, one after the other, and judges its answers. */
export async function runProbe(context: Context, address: string, options: ProbeOptions): Promise<Output> {
  const url = new URL(parseTarget(address).url);
  const chosen = chosenCases(options.only);
  if (options.dryRun) return casesOutput(url, chosen);
  const { header = [], secretFile = [], secretStdin } = options;
  requireOneStdin([...secretFile, ...header.map((text) => text.replace(/^@/, ""))], secretStdin);
  const send = await senderTo(context, url, options);
  const answers = new Map<CaseId, ProbeAnswer>();
  const progress = startProgress(context.stderr, `probing ${url.host}`);
  try {
    for (const id of chosen) {
      progress.update(`probing ${url.host}: ${answers.size + 1} of ${chosen.length}, ${id}`);
      answers.set(id, await send(id));
      if (answers.size === ENOUGH && [...answers.values()].every(({ outcome }) => outcome === "unanswered"))
        throw silent(url);
    }
  } finally {
    progress.stop();
  }
  return reportOutput(url, answers);
}

/** Ids and kinds, in the order of the table. */
function chosenCases(words: readonly string[] = []): readonly CaseId[] {
  if (words.length === 0) return caseIds();
  const named = new Set(
    words.flatMap((word) => {
      const found = caseIds(word);
      if (found.length === 0) throw unknownCase(word);
      return found;
    }),
  );
  return caseIds().filter((id) => named.has(id));
}

function unknownCase(word: string): ClaimsError {
  const meant = closest(word, caseIds());
  return new ClaimsError("usage", "unknown_case", `"${word}" is no case of a probe`, {
    hint: meant ? `did you mean ${meant}?` : "`claims webhooks probe URL --dry-run` lists them",
  });
}

const silent = ({ host }: URL): ClaimsError =>
  new ClaimsError(
    "unreachable",
    "no_answer",
    `${host}: none of the first ${ENOUGH} deliveries was answered`,
    {
      hint: "look whether the receiver is up and answers a POST; --timeout gives it more time",
      retryable: true,
    },
  );
