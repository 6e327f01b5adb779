import { type ClaimsError, unreachableError, usageError } from "../../../../domain/errors.ts";
import { findClosest } from "../../../../domain/text.ts";
import { type CaseId, listCaseIds } from "../../../../domain/webhooks/probe/cases.ts";
import type { ProbeResponse } from "../../../../domain/webhooks/probe/responses.ts";
import type { Context } from "../../../context.ts";
import { writeCheckReports } from "../../../output/check-report.ts";
import type { Output } from "../../../output/output.ts";
import { startProgress } from "../../../output/progress.ts";
import { refuseStdinConflict, requireSingleSecret } from "../signing-secrets.ts";
import { parseTarget } from "../target.ts";
import { toCheckReport } from "./check-report.ts";
import type { ProbeOptions } from "./options.ts";
import { renderCases, renderReport } from "./report.ts";
import { createCaseSender, createDeliverySender } from "./send.ts";

/** A receiver that does not respond to so many deliveries at the start will not respond to the next one. */
const MAX_WITHOUT_RESPONSE = 3;

/** Sends the cases one after the other, and reports on the responses. */
export async function runProbe(context: Context, address: string, options: ProbeOptions): Promise<Output> {
  const url = new URL(parseTarget(address));
  const selected = selectCases(options.only);
  if (options.dryRun && options.report) throw reportOfDryRun();
  if (options.dryRun) return renderCases(url, selected);
  const { header = [], secretFile = [], secretStdin } = options;
  refuseStdinConflict([...secretFile, ...header.map((text) => text.replace(/^@/, ""))], secretStdin);
  const secret = await requireSingleSecret(context, options);
  const sendDelivery = await createDeliverySender(context, url, options);
  const send = createCaseSender(context, sendDelivery, { secret, event: options.event });
  const responses = new Map<CaseId, ProbeResponse>();
  const progress = startProgress(context.stderr, `probing ${url.host}`);
  try {
    for (const id of selected) {
      progress.update(`probing ${url.host}: ${responses.size + 1} of ${selected.length}, ${id}`);
      responses.set(id, await send(id));
      const isSilent = [...responses.values()].every(({ outcome }) => outcome === "no_response");
      if (responses.size === MAX_WITHOUT_RESPONSE && isSilent)
        throw unreachableError(
          "no_response",
          `${url.host} did not respond to the first ${MAX_WITHOUT_RESPONSE} deliveries`,
          {
            hint: "check that the receiver is running and responds to POST; --timeout gives it more time",
            retryable: true,
          },
        );
    }
  } finally {
    progress.stop();
  }
  const output = renderReport(url, responses);
  await writeCheckReports(context, toCheckReport(output.json), options.report ?? []);
  return output;
}

const reportOfDryRun = (): ClaimsError =>
  usageError("option_conflict", "--report does not go with --dry-run, which sends nothing", {
    hint: "leave out one of them; --dry-run --json prints the cases",
  });

/** @param words ids and kinds */
function selectCases(words: readonly string[] = []): readonly CaseId[] {
  if (words.length === 0) return listCaseIds();
  const named = new Set(words.flatMap(requireCaseIds));
  return listCaseIds().filter((id) => named.has(id));
}

function requireCaseIds(word: string): readonly CaseId[] {
  const ids = listCaseIds(word);
  if (ids.length > 0) return ids;
  const closest = findClosest(word, listCaseIds());
  throw usageError("unknown_case", `unknown probe case "${word}"`, {
    hint: closest ? `did you mean ${closest}?` : "`claims webhooks probe URL --dry-run` lists the cases",
  });
}
