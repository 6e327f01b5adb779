import { isPlainShellWord, quoteShellWord } from "../../../src/domain/shell.ts";
import type { RequestModel } from "../../../src/pages/request.tsx";
import type { LoggedRequest } from "../../api/requests.ts";
import type { Sandbox } from "../../api/sandbox.ts";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { labelFields } from "./labelled-fields.ts";

export const toRequestModel = (request: LoggedRequest, url: string, hasForm: boolean): RequestModel =>
  redactModel({
    request,
    fields: labelFields(request, hasForm),
    curl: formatCurl(request, url),
  });

export const readRequest = async (
  { played }: Pick<Engine, "played">,
  sandbox: Sandbox,
  number: string,
): Promise<RequestModel> =>
  toRequestModel(await sandbox.requests.get(number), sandbox.url, played.like !== null);

/** Headers that curl and `claims` send themselves. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...["host", "connection", "keep-alive", "content-length", "transfer-encoding", "x-request-id"],
  ...["authorization", "x-api-key", "user-agent", "accept-encoding", "accept-language", "sec-fetch-mode"],
]);

const keptHeaders = ({ requestHeaders }: LoggedRequest) =>
  requestHeaders.filter(([name, value]) => !OWN_HEADERS.has(name.toLowerCase()) && value !== "[redacted]");

function formatCurl(request: LoggedRequest, url: string): string {
  const { method, requestBody, target } = request;
  const fields = requestBody?.fields ?? null;
  const headers = keptHeaders(request).filter(
    ([name]) => fields === null || name.toLowerCase() !== "content-type",
  );
  return [
    `curl -X ${method} ${quote(url + target)}`,
    `-H "Authorization: Bearer $CLAIMS_API_KEY"`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(fields ?? []).map(([name, value]) => `-F ${quote(`${name}=${value}`)}`),
    ...(fields ? ["-F 'file=@entries.csv;type=text/csv'"] : []),
    ...(requestBody && !fields ? [`--data-binary ${quote(requestBody.text ?? "")}`] : []),
  ].join(" \\\n  ");
}

const quote = (text: string): string => (isPlainShellWord(text) ? text : quoteShellWord(text));
