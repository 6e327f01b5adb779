import type { ApiResponse } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { allowSunsetOption, checkSunset } from "../../connection/alias-sunset.ts";
import { confirmProductionWrite, openService } from "../../connection/service.ts";
import { parseField } from "../../framework/body-fields.ts";
import { command } from "../../framework/command.ts";
import { renderJsonArray } from "../../output/list.ts";
import { describeRawWrite } from "../../write-log/describe-write.ts";
import { sendLogged } from "../../write-log/send-logged.ts";
import { parseHeader } from "./headers.ts";
import { METHODS } from "./methods.ts";
import { buildRequest } from "./request.ts";
import { renderHead, renderPage } from "./response-text.ts";

export const api = command({
  name: "api",
  summary: "send any request with your credential and print the answer as it is",
  remote: "writes",
  output: "bytes",
  arguments: [
    { name: "method", help: METHODS.join(", ") },
    { name: "path", help: "path and query, as in /v1/docs/openapi" },
  ],
  options: {
    header: { short: "H", value: "header", parse: parseHeader, repeats: true, help: "'Name: value'" },
    rawField: {
      short: "f",
      value: "key=value",
      parse: parseField,
      repeats: true,
      help: "text for a JSON body, or for the query of a GET; key[name]= and key[]= make records and lists",
    },
    field: {
      short: "F",
      value: "key=value",
      parse: parseField,
      repeats: true,
      help: "the same for true, false, null, a whole number, or @file for the text of a file",
    },
    input: { value: "file", help: "the body itself, or - for stdin; JSON unless -H says otherwise" },
    paginate: { help: "follow the links to further pages, and print one a line" },
    ...allowSunsetOption,
    include: { short: "i", help: "print status and headers first" },
  },
  examples: [
    "claims api GET /v1/docs/openapi --include",
    "claims api GET /v1/webhook-deliveries -f limit=200 --paginate | jq -r '.data[].id'",
    "claims api POST /v1/litigation/enroll -f claimIds[]=9e02… -f claimIds[]=4b1f…",
    "claims api POST /v1/diligence/jobs/7d9c…/resume",
  ],
  async run(context, call) {
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
  },
});

const includeWithJsonError = (): ClaimsError =>
  new ClaimsError("usage", "conflicting_formats", "with --include the answer is no JSON", {
    hint: "leave out --json, or --include",
  });

const paginateNeedsGetError = (method: string): ClaimsError =>
  new ClaimsError("usage", "not_paged", `--paginate reads pages, and ${method} is no read`, {
    hint: "leave it out, or use GET",
  });
