import type { ApiResponse } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { checkSunset } from "../../connection/alias-sunset.ts";
import { confirmProductionWrite, openService } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { renderJsonArray } from "../../output/list.ts";
import type { Output } from "../../output/output.ts";
import { describeRawWrite } from "../../write-log/describe-write.ts";
import { sendLogged } from "../../write-log/send-logged.ts";
import type { ApiInvocation } from "./options.ts";
import { buildRequest } from "./request.ts";
import { renderHead, renderPage } from "./response-text.ts";

export async function runApi(context: Context, call: ApiInvocation): Promise<Output> {
  const { args, global, onEnd, options } = call;
  if (options.include && global.json) throw includeWithJsonError();
  const { request, body } = await buildRequest(context, { ...args, ...options }, onEnd);
  if (options.paginate && request.method !== "GET") throw paginateNeedsGetError(request.method);
  await checkSunset(context, args.path, options);
  const service = await openService(context, call);
  const { client } = service;
  if (request.method !== "GET") await confirmProductionWrite(context, global, service);
  const headOf = (answer: ApiResponse) => (options.include ? renderHead(answer) : "");

  if (options.paginate)
    return {
      kind: "stream",
      body: global.json ? renderJsonArray(pages(), (page) => page.trimEnd()) : pages(),
    };
  const answer = request.method === "GET" ? await client.sendRaw(request) : await write();
  return { kind: "stream", body: [headOf(answer), answer.body] };

  async function* pages() {
    for await (const page of client.pages(request)) yield headOf(page) + renderPage(page);
  }

  async function write() {
    return sendLogged(context, service, await describeRawWrite(request, body), (idempotencyKey) =>
      client.sendRaw({ ...request, idempotencyKey }),
    );
  }
}

const includeWithJsonError = (): ClaimsError =>
  new ClaimsError("usage", "conflicting_formats", "with --include the answer is no JSON", {
    hint: "leave out --json, or --include",
  });

const paginateNeedsGetError = (method: string): ClaimsError =>
  new ClaimsError("usage", "not_paged", `--paginate reads pages, and ${method} is no read`, {
    hint: "leave it out, or use GET",
  });
