import { ClaimsError } from "../../../../domain/errors.ts";
import { findClosest } from "../../../../domain/text.ts";
import { type CaseId, listCaseIds } from "../../../../domain/webhooks/probe/cases.ts";
import type { ProbeResponse } from "../../../../domain/webhooks/probe/responses.ts";
import type { Context } from "../../../context.ts";
import type { OptionValues } from "../../../framework/options.ts";
import type { Output } from "../../../output/output.ts";
import { startProgress } from "../../../output/progress.ts";
import { parseTarget } from "../listen/routes.ts";
import { refuseStdinConflict } from "../stdin-conflict.ts";
import type { probeOptions } from "./probe.ts";
import { renderCases, renderReport } from "./report.ts";
import { createSender } from "./send.ts";

type ProbeOptions = OptionValues<typeof probeOptions>;

/** A receiver that has not answered so many deliveries, from the first, will not answer the next one. */
const MAX_UNANSWERED = 3;

/** Sends every case to the receiver, one after the other, and judges its answers. */
export async function runProbe(context: Context, address: string, options: ProbeOptions): Promise<Output> {
  const url = new URL(parseTarget(address).url);
  const selected = selectCases(options.only);
  if (options.dryRun) return renderCases(url, selected);
  const { header = [], secretFile = [], secretStdin } = options;
  refuseStdinConflict([...secretFile, ...header.map((text) => text.replace(/^@/, ""))], secretStdin);
  const send = await createSender(context, url, options);
  const responses = new Map<CaseId, ProbeResponse>();
  const progress = startProgress(context.stderr, `probing ${url.host}`);
  try {
    for (const id of selected) {
      progress.update(`probing ${url.host}: ${responses.size + 1} of ${selected.length}, ${id}`);
      responses.set(id, await send(id));
      if (
        responses.size === MAX_UNANSWERED &&
        [...responses.values()].every(({ outcome }) => outcome === "unanswered")
      )
        throw noResponseError(url);
    }
  } finally {
    progress.stop();
  }
  return renderReport(url, responses);
}

/** Ids and kinds, in the order of the table. */
function selectCases(words: readonly string[] = []): readonly CaseId[] {
  if (words.length === 0) return listCaseIds();
  const named = new Set(
    words.flatMap((word) => {
      const found = listCaseIds(word);
      if (found.length === 0) throw unknownCaseError(word);
      return found;
    }),
  );
  return listCaseIds().filter((id) => named.has(id));
}

function unknownCaseError(word: string): ClaimsError {
  const meant = findClosest(word, listCaseIds());
  return new ClaimsError("usage", "unknown_case", `"${word}" is no case of a probe`, {
    hint: meant ? `did you mean ${meant}?` : "`claims webhooks probe URL --dry-run` lists them",
  });
}

const noResponseError = ({ host }: URL): ClaimsError =>
  new ClaimsError(
    "unreachable",
    "no_answer",
    `${host}: none of the first ${MAX_UNANSWERED} deliveries was answered`,
    {
      hint: "look whether the receiver is up and answers a POST; --timeout gives it more time",
      retryable: true,
    },
  );
