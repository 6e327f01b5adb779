import { isDryRun, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import type { OptionValues } from "../../../framework/options.ts";
import { isUnrecognized } from "../../../write-log/decision.ts";
import { openWriteLog } from "../../../write-log/write-log.ts";
import { findScope, isInScope, toWriteRecords, type WriteRecord } from "../../../write-log/write-record.ts";
import type { MappingRequest } from "../mapping-options.ts";
import { openBatchLog, readBatchLog } from "./batch-log.ts";
import { BatchProgress } from "./batch-progress.ts";
import { EqualFiles } from "./equal-files.ts";
import type { BatchItem } from "./item.ts";
import type { batchOptions } from "./options.ts";
import { PreviousSubmissions } from "./previous-submissions.ts";
import type { BatchSource } from "./row.ts";
import type { BatchContext } from "./submit-item.ts";
import { supportsIdempotencyKey } from "./supports-idempotency-key.ts";

export interface BatchInvocation extends BaseInvocation {
  readonly args: { readonly source: string };
  readonly options: OptionValues<typeof batchOptions>;
}

/** Opens what the submissions share: the logs, and the earlier submissions in them. */
export async function openBatch(
  context: Context,
  { global, onEnd, options }: BatchInvocation,
  service: Service,
  source: BatchSource,
  mapping: MappingRequest | null,
): Promise<BatchContext> {
  const scope = await findScope(service.connection);
  const { batchLog, check, jobIdPath, legacy, onDuplicate = "fail", resendUnknown = false } = options;
  let isSupported: Promise<boolean> | undefined;
  const isKeySupported = () => (isSupported ??= supportsIdempotencyKey(service, legacy));
  const shared = {
    ...{ context, service, scope, check, jobIdPath, legacy, mapping, onDuplicate },
    isVerbose: global.verbose,
    skipsInvalid: options.skipInvalid ?? false,
    equalFiles: new EqualFiles<BatchItem>(),
    progress: new BatchProgress(context.signal),
    canResend: async (known: Pick<WriteRecord, "code">) =>
      resendUnknown || (!isUnrecognized(known) && (await isKeySupported())),
  };
  // A sandbox that stops with this command needs no log.
  if (service.connection.isTemporary)
    return { ...shared, logs: [], previous: new PreviousSubmissions(context, [], []) };
  const machineLog = openWriteLog(context);
  const readMachine = async () =>
    toWriteRecords(await machineLog.read()).filter((record) => isInScope(scope, record));
  if (options.status) {
    const records = await readBatchLog(context, source, scope, batchLog);
    return { ...shared, logs: [], previous: new PreviousSubmissions(context, records, await readMachine()) };
  }
  const { log, records, release } = await openBatchLog(context, source, scope, batchLog);
  onEnd(release);
  return {
    ...shared,
    logs: isDryRun(global) ? [] : [log, machineLog],
    previous: new PreviousSubmissions(context, records, await readMachine()),
  };
}
