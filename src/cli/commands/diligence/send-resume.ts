import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { hashContent } from "../../write-log/describe-write.ts";
import { type LoggedResponse, sendLogged } from "../../write-log/send-logged.ts";
import { addJobId } from "./job.ts";

/**
 * Asks the service to resume a job.
 *
 * @param given the idempotency key of the command line
 */
export async function sendResume(
  context: Context,
  service: Service,
  id: string,
  given?: string,
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
    given,
  };
  const send = (idempotencyKey: string) => client.send(operation, { params, idempotencyKey });
  return addJobId(id, () => sendLogged(context, service, write, send));
}
