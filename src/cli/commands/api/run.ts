import type { ApiResponse } from "../../../client/http/response.ts";
import { resolvePath } from "../../../client/paging.ts";
import { usageError } from "../../../domain/errors.ts";
import { checkSunset } from "../../connection/broker-aliases.ts";
import { confirmProductionWrite, openService } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { renderJsonArray } from "../../output/list.ts";
import type { Output } from "../../output/output.ts";
import { describeRawWrite } from "../../write-log/describe-write.ts";
import { sendLogged } from "../../write-log/send-logged.ts";
import type { ApiInvocation } from "./api.ts";
import { buildRequest } from "./request.ts";

export async function runApi(context: Context, call: ApiInvocation): Promise<Output> {
  const { global, options } = call;
  const { request: typed, body } = await buildRequest(context, call);
  const isRead = typed.method === "GET";
  if (options.paginate && !isRead) {
    throw usageError("option_conflict", `--paginate needs GET, not ${typed.method}`, {
      hint: "leave it out, or use GET",
    });
  }
  const service = await openService(context, call);
  const { client, connection } = service;
  const request = { ...typed, path: resolvePath(connection.baseUrl, typed.path) };
  await checkSunset(context, request.path, options);
  if (options.paginate) {
    const pages = renderPages(client.pages(request));
    const isJson = global.json === true;
    return { kind: "stream", body: isJson ? renderJsonArray(pages, (page) => page.trimEnd()) : pages };
  }
  if (!isRead) await confirmProductionWrite(context, global, service);
  const { idempotencyKey: given, ...write } = await describeRawWrite(request, body);
  const response = isRead
    ? await (global.out === undefined ? client.sendRaw(request) : client.streamRaw(request))
    : await sendLogged(context, service, write, { ...options, idempotencyKey: given }, (idempotencyKey) =>
        client.sendRaw({ ...request, idempotencyKey }),
      );
  return { kind: "stream", body: response.body instanceof Uint8Array ? [response.body] : response.body };
}

/** Renders each page as one line: JSON has line feeds only between its tokens. */
async function* renderPages(pages: AsyncIterable<ApiResponse>) {
  for await (const page of pages) {
    const text = page.body.toString("utf8").trim();
    yield `${text.replace(/[\r\n]+/g, " ")}\n`;
  }
}
