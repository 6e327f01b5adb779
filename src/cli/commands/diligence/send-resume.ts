import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { hashContent } from "../../write-log/describe-write.ts";
import { type LoggedResponse, sendLogged } from "../../write-log/send-logged.ts";
import type { WriteOptions } from "../../write-log/write-options.ts";
import { addJobId } from "./job.ts";

export async function sendResume(
  context: Context,
  service: Service,
  id: string,
  options: WriteOptions = {},
): Promise<LoggedResponse> {
  const { client, operations } = service;
  const { resume: operation } = operations.diligence;
  const params = { jobId: id };
  const write = {
    operation: operation.id,
    content: await hashContent({ operation: operation.id, params }),
    seller: null,
    file: null,
    bytes: null,
    jobId: id,
  };
  const send = (idempotencyKey: string) => client.send(operation, { params, idempotencyKey });
  return addJobId(id, () => sendLogged(context, service, write, options, send));
}
