import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import type { WriteDescription } from "./describe-write.ts";
import type { LoggedResponse, WriteResponse } from "./finish-write.ts";
import { createKeyCheck } from "./key-support.ts";
import { findScope, LoggedWrites } from "./logged-writes.ts";
import { performWrite } from "./perform-write.ts";
import { openWriteLog } from "./write-log.ts";
import type { WriteOptions } from "./write-options.ts";

/** The writes of this machine; for a dry run, and for a sandbox that stops with the command, none. */
export async function openLoggedWrites(context: Context, service: Service): Promise<LoggedWrites> {
  const { connection, isDryRun } = service;
  const machine = connection.isTemporary || isDryRun ? null : openWriteLog(context);
  return new LoggedWrites(context, await findScope(service), { machine });
}

/** Sends a write that may equal an earlier one on purpose. @throws ClaimsError `needs_decision`, also before sending */
export async function sendLogged(
  context: Context,
  service: Service,
  write: WriteDescription,
  options: WriteOptions,
  send: (idempotencyKey: string) => Promise<WriteResponse>,
): Promise<LoggedResponse> {
  const writes = await openLoggedWrites(context, service);
  const checkKeySupport = createKeyCheck(service, write.operation);
  const { idempotencyKey, keyLifetime, resendUnknown } = options;
  const { error, response } = await performWrite(context, writes, {
    write,
    idempotencyKey,
    keyLifetime,
    resendUnknown,
    onDuplicate: "submit",
    checkKeySupport,
    send,
  });
  if (response === null) throw error;
  return response;
}
