import { isDryRun, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import type { OptionValues } from "../../../framework/options.ts";
import { SUBMIT_OPERATION } from "../../../write-log/events.ts";
import { LoggedWrites } from "../../../write-log/logged-writes.ts";
import { createKeyCheck, openLoggedWrites } from "../../../write-log/send-logged.ts";
import { openWriteLog } from "../../../write-log/write-log.ts";
import { findScope } from "../../../write-log/write-record.ts";
import type { MappingRequest } from "../mapping-options.ts";
import { openBatchLog, readBatchLog } from "./batch-log.ts";
import { BatchProgress } from "./batch-progress.ts";
import { EqualFiles } from "./equal-files.ts";
import type { batchOptions } from "./options.ts";
import { PreviousSubmissions } from "./previous-submissions.ts";
import type { BatchSource } from "./row.ts";
import type { BatchContext } from "./submit-item.ts";

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
  const { batchLog, onDuplicate = "fail", ...chosen } = options;
  const shared = {
    ...{ context, service, mapping, onDuplicate },
    ...chosen,
    equalFiles: new EqualFiles(),
    isVerbose: global.verbose,
    progress: new BatchProgress(context.signal),
    isKeySupported: createKeyCheck(service, SUBMIT_OPERATION, options.legacy),
  };
  // A sandbox that stops with this command needs no log.
  if (service.connection.isTemporary)
    return {
      ...shared,
      writes: await openLoggedWrites(context, service),
      previous: new PreviousSubmissions(context, []),
    };
  const scope = await findScope(service);
  const machine = openWriteLog(context);
  if (options.status) {
    const records = await readBatchLog(context, source, scope, batchLog);
    const writes = new LoggedWrites(context, scope, { machine, isReadOnly: true });
    return { ...shared, writes, previous: new PreviousSubmissions(context, records) };
  }
  const { log, lock, records } = await openBatchLog(context, source, scope, batchLog);
  onEnd(lock.release);
  const isReadOnly = isDryRun(global);
  return {
    ...shared,
    writes: new LoggedWrites(context, scope, { machine, batch: { log, lock }, isReadOnly }),
    previous: new PreviousSubmissions(context, records),
  };
}
