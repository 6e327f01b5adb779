import type { Answer, RawRequest } from "../../client/client.ts";
import { ClaimsError } from "../../domain/errors.ts";
import { command } from "../command.ts";
import { type InputFile, openInput } from "../input-file.ts";
import { journaled } from "../journal/journaled.ts";
import { rawWrite } from "../journal/raw-write.ts";
import type { Output } from "../output/output.ts";
import { guardWrite, openService } from "../service.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export const api = command({
  name: "api",
  summary: "send any request with your credential and print the answer as it is",
  remote: "writes",
  answers: "bytes",
  arguments: [
    { name: "method", help: METHODS.join(", ") },
    { name: "path", help: "path and query, as in /v1/docs/openapi" },
  ],
  options: { input: { value: "file", help: "JSON body, or - for stdin" } },
  examples: ["claims api GET /v1/docs/openapi", "claims api POST /v1/diligence/jobs/7d9c…/resume"],
  async run(context, call) {
    const { args, global, onEnd, options } = call;
    const request: RawRequest = { method: checkedMethod(args.method), path: checkedPath(args.path) };
    const service = await openService(context, call);
    const { client } = service;
    if (request.method !== "GET") await guardWrite(context, global, service);
    const file = options.input === undefined ? undefined : await openInput(context, options.input);
    if (file) onEnd(file.close);
    const complete = file ? { ...request, source: file.shownAs, body: () => jsonBody(file) } : request;
    if (request.method === "GET") return shown(await client.sendRaw(complete));
    const write = await rawWrite(complete, file);
    return shown(
      await journaled(context, call, service, write, (idempotencyKey) =>
        client.sendRaw({ ...complete, idempotencyKey }),
      ),
    );
  },
});

const jsonBody = (file: InputFile) => ({
  headers: { "content-type": "application/json", "content-length": String(file.size) },
  body: file.stream(),
});

const shown = ({ body }: Answer): Output => ({ kind: "stream", body: [body] });

function checkedMethod(text: string): RawRequest["method"] {
  const method = METHODS.find((name) => name === text.toUpperCase());
  if (method) return method;
  throw new ClaimsError("usage", "unknown_method", `"${text}" is no method`, {
    hint: `use one of ${METHODS.join(", ")}`,
  });
}

function checkedPath(path: string): string {
  if (path.startsWith("/") && !path.startsWith("//")) return path;
  throw new ClaimsError("usage", "not_a_path", `"${path}" is no path on the service`, {
    hint: "start it with /, and name the service with --base-url",
  });
}
