import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { createLearner } from "../../../../contract/service-form/learn/learner.ts";
import { addRecording, type RecordingCounts } from "../../../../contract/service-form/learn/recording.ts";
import { usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { object, oneOf, parseJsonAs, string } from "../../../../domain/shape.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import { printMessage } from "../../../output/stderr.ts";
import { INDEX_FILE } from "../../webhooks/listen/recorder.ts";
import { readDeliveries, skipNothing } from "../../webhooks/triage/read-files.ts";

type Learner = ReturnType<typeof createLearner>;

/** @throws ClaimsError `invalid_input` */
export async function learnFromRecordings(
  context: Context,
  learner: Learner,
  files: readonly string[],
  baseUrl: string | undefined,
): Promise<void> {
  for (const file of files) {
    const counts = addRecording(learner, (await readInput(context, file)).toString("utf8"), file, baseUrl);
    if (counts.exchanges + counts.deliveries === 0)
      throw usageError("invalid_input", `${file} has no request of this interface (${describe(counts)})`, {
        hint: "record the traffic between a client and the service",
      });
    printMessage(context, `${file}: ${describe(counts)}`);
  }
}

const describe = ({ exchanges, deliveries, others }: RecordingCounts): string =>
  [
    formatCount(exchanges, "exchange"),
    formatCount(deliveries, "delivery", "deliveries"),
    `${formatCount(others, "other request")} left out`,
  ].join(", ");

const forgedDelivery = object({ verdict: oneOf("mismatch", "missing_header", "malformed"), file: string });

/** The files of a recording whose sender need not be the service. */
async function listForged(context: Context, folder: string): Promise<ReadonlySet<string>> {
  const index = await readFile(resolve(context.cwd, folder, INDEX_FILE), "utf8").catch(() => "");
  const lines = index
    .split("\n")
    .flatMap((line) => parseJsonAs<{ readonly file: string }>(line, forgedDelivery) ?? []);
  return new Set(lines.map(({ file }) => join(folder, file)));
}

/** Folders of `listen --record`, raw requests and logs. @throws ClaimsError `invalid_input` */
export async function learnFromDeliveries(context: Context, learner: Learner, paths: readonly string[]) {
  for (const path of paths) {
    const skipped = skipNothing();
    const forged = await listForged(context, path);
    let count = 0;
    for await (const { source, delivery } of readDeliveries(context, [path], {}, skipped)) {
      const { headers, body, receivedAt } = delivery;
      if (forged.has(source)) skipped.skipped += 1;
      else if (learner.addDelivery(headers, body.toString("utf8"), receivedAt ?? context.now())) count += 1;
      else skipped.skipped += 1;
    }
    const others = skipped.skipped + skipped.files.length;
    const summary = `${formatCount(count, "delivery", "deliveries")}, ${formatCount(others, "other record")} left out`;
    if (count === 0)
      throw usageError("invalid_input", `${path} has no delivery of this interface (${summary})`, {
        hint: "record deliveries with claims webhooks listen --record",
      });
    printMessage(context, `${path}: ${summary}`);
  }
}
