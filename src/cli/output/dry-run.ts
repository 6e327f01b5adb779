import type { DryRun, DryRunBody, DryRunRequest } from "../../client/dry-run.ts";
import type { Output } from "./output.ts";
import { quoteShellWordForTerminal } from "./shell-quote.ts";

/** What stands where a secret would: a shell fills it in. */
const TOKEN_PLACEHOLDERS = { api_key: "$CLAIMS_API_KEY", oauth_client: "$(claims auth token)" } as const;

/** By its name: the class belongs to the client, which is loaded later than this. */
export const isDryRunError = (error: unknown): error is DryRun =>
  error instanceof Error && error.name === "Rehearsal";

/**
 * `--print curl`: the request as a command for bash or zsh. A secret comes to curl through a pipe, since everybody on
 * the machine sees the words of a command line.
 */
export function renderCurl(request: DryRunRequest): Output {
  const { method, url, headers, authorization, body } = request;
  const words = [
    ["curl", "--request", method, quoteShellWordForTerminal(url)],
    ...(authorization
      ? [["--header", `@<(printf 'Authorization: Bearer %s' "${TOKEN_PLACEHOLDERS[authorization]}")`]]
      : []),
    ...Object.entries(headers).map(([name, value]) => [
      "--header",
      quoteShellWordForTerminal(`${name}: ${value}`),
    ]),
    ...(body ? toCurlArguments(body) : []),
  ];
  return { kind: "stream", body: [`${words.map((line) => line.join(" ")).join(" \\\n  ")}\n`] };
}

function toCurlArguments(body: DryRunBody): string[][] {
  if (body.kind === "form") {
    return Object.entries(body.fields).map(([name, value]) => [
      "--data-urlencode",
      toFormArgument(name, value),
    ]);
  }
  if (body.kind === "multipart") {
    const { source, name, contentType } = body.file;
    return [
      // --form would take a value that begins with @ or < for the name of a file.
      ...Object.entries(body.fields).map(([field, value]) => [
        "--form-string",
        quoteShellWordForTerminal(`${field}=${value}`),
      ]),
      [
        "--form",
        quoteShellWordForTerminal(
          `file=@${quoteForCurl(source)};filename=${quoteForCurl(name)};type=${contentType}`,
        ),
      ],
    ];
  }
  const type = ["--header", quoteShellWordForTerminal(`content-type: ${body.contentType}`)];
  return [type, ["--data-binary", quoteShellWordForTerminal(body.text ?? `@${body.source ?? "-"}`)]];
}

const toFormArgument = (name: string, value: string): string =>
  value.startsWith("$CLAIMS_")
    ? `${name}@<(printf %s "${value}")`
    : quoteShellWordForTerminal(`${name}=${value}`);

/** A file name as curl's --form reads it, whatever commas, semicolons and quotes it holds. */
const quoteForCurl = (name: string): string => `"${name.replace(/["\\]/g, "\\$&")}"`;

/** `--dry-run`: the request as it would be sent, a secret's variable in its place. */
export function renderRequest({ authorization, headers, ...request }: DryRunRequest): Output {
  const all = {
    ...(authorization && { authorization: `Bearer ${TOKEN_PLACEHOLDERS[authorization]}` }),
    ...headers,
    ...(request.body && { "content-type": chooseContentType(request.body) }),
  };
  const named = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const lines = [
    `${request.method} ${request.url}`,
    ...named,
    ...(request.body ? ["", ...renderBodyLines(request.body)] : []),
  ];
  return {
    kind: "record",
    json: { method: request.method, url: request.url, headers: all, body: request.body },
    blocks: [{ kind: "paragraph", lines }],
  };
}

function chooseContentType(body: DryRunBody): string {
  if (body.kind === "bytes") return body.contentType;
  return body.kind === "form" ? "application/x-www-form-urlencoded" : "multipart/form-data";
}

function renderBodyLines(body: DryRunBody): string[] {
  if (body.kind === "bytes") {
    const size = body.size === null ? "" : ` (${body.size} bytes)`;
    return body.text === null ? [`@${body.source ?? "-"}${size}`] : body.text.split("\n");
  }
  const fields = Object.entries(body.fields).map(([name, value]) => `${name}=${value}`);
  if (body.kind === "form") return fields;
  const { source, size, contentType } = body.file;
  return [...fields, `file=@${source} (${size} bytes, ${contentType})`];
}
