import { isDryRun, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import type { OptionValues } from "../../../framework/options.ts";
import { SUBMIT_OPERATION } from "../../../write-log/events.ts";
import { LoggedWrites } from "../../../write-log/logged-writes.ts";
import { createKeyCheck } from "../../../write-log/send-logged.ts";
import { openWriteLog } from "../../../write-log/write-log.ts";
import { findScope } from "../../../write-log/write-record.ts";
import type { MappingRequest } from "../mapping-options.ts";
import { openBatchLog } from "./batch-log.ts";
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
  const { batchLog, onDuplicate = "fail", status = false, ...chosen } = options;
  const scope = await findScope(service);
  // A sandbox that stops with this command needs no log.
  const batch = service.connection.isTemporary
    ? null
    : await openBatchLog(context, source, scope, batchLog, status ? null : onEnd);
  const logs = { machine: batch && openWriteLog(context), batch, isReadOnly: status || isDryRun(global) };
  return {
    ...{ context, service, mapping, onDuplicate },
    ...chosen,
    writes: new LoggedWrites(context, scope, logs),
    previous: new PreviousSubmissions(context, batch?.records ?? []),
    equalFiles: new EqualFiles(),
    isVerbose: global.verbose,
    progress: new BatchProgress(context.signal),
    isKeySupported: createKeyCheck(service, SUBMIT_OPERATION, options.legacy),
  };
}
