import { DryRun, type DryRunBody, type DryRunRequest } from "../../client/dry-run.ts";
import type { Context } from "../context.ts";
import type { GlobalOptions } from "../framework/options.ts";
import type { Output } from "./output.ts";
import { print } from "./print.ts";
import { quoteShellWordForTerminal } from "./shell-quote.ts";

/** A shell fills the secret in. */
const TOKEN_PLACEHOLDERS = { api_key: "$CLAIMS_API_KEY", oauth_client: "$(claims auth token)" } as const;

/** Prints the request of a dry run, which has neither fields nor ids. Throws any other error again. */
export async function printDryRun(
  error: unknown,
  context: Context,
  { curl, json, ndjson, out, color }: GlobalOptions,
): Promise<void> {
  if (!(error instanceof DryRun)) throw error;
  const options = { json: Boolean(json || ndjson), out, color };
  await print(renderDryRun(error.request, curl), context, options);
}

/** @param isCurl whether it is a command */
export function renderDryRun(request: DryRunRequest, isCurl = false): Output {
  if (isCurl) return { kind: "stream", body: [`${renderCurl(request)}\n`] };
  const document = toDocument(request);
  return { kind: "record", json: document, blocks: [{ kind: "paragraph", lines: renderLines(document) }] };
}

/** curl reads a secret from stdin, because all users can see command lines; a body from stdin moves to descriptor 3. */
function renderCurl({ method, url, headers, authorization, body }: DryRunRequest): string {
  const bodyOptions = body ? toBodyOptions(body, authorization !== null) : [];
  const options = [
    ["--request", method, quoteShellWordForTerminal(url)],
    ...(authorization ? [["--header", "@-"]] : []),
    ...Object.entries(headers).map(([name, value]) => toOption("--header", `${name}: ${value}`)),
    ...bodyOptions,
  ];
  const curl = ["curl --fail-with-body", ...options.map((words) => words.join(" "))].join(" \\\n  ");
  const piped = `${printSecret(authorization, body)}${curl}`;
  return isFromStdin(body) && authorization ? `{ ${piped}; } 3<&0` : piped;
}

const STDIN_COPY = "/dev/fd/3";

function isFromStdin(body: DryRunBody | null): boolean {
  if (body?.kind === "multipart") return body.file.source === "-";
  return body?.kind === "bytes" && body.text === null && (body.source ?? "-") === "-";
}

/** printf is part of the shell, so its arguments are in no list of processes. */
function printSecret(authorization: DryRunRequest["authorization"], body: DryRunBody | null): string {
  if (authorization) return `printf 'Authorization: Bearer %s' "${TOKEN_PLACEHOLDERS[authorization]}" | `;
  const secret = body?.kind === "form" && Object.values(body.fields).find(isSecretVariable);
  return secret ? `printf %s "${secret}" | ` : "";
}

const isSecretVariable = (value: string): boolean => value.startsWith("$CLAIMS_");

const toOption = (flag: string, value: string): string[] => [flag, quoteShellWordForTerminal(value)];

/** @param hasSecret on stdin */
function toBodyOptions(body: DryRunBody, hasSecret: boolean): string[][] {
  const locate = (source: string) => (source === "-" && hasSecret ? STDIN_COPY : source);
  if (body.kind === "bytes") {
    const data = toOption("--data-binary", body.text ?? `@${locate(body.source ?? "-")}`);
    return [toOption("--header", `content-type: ${body.contentType}`), data];
  }
  const fields = Object.entries(body.fields);
  if (body.kind === "form") {
    return fields.map(([name, value]) =>
      isSecretVariable(value)
        ? ["--data-urlencode", `${name}@-`]
        : toOption("--data-urlencode", `${name}=${value}`),
    );
  }
  const { source, name, contentType } = body.file;
  const file = `file=@${quoteForCurl(locate(source))};filename=${quoteForCurl(name)};type=${contentType}`;
  return [
    // --form takes a value that starts with @ or < for a file name.
    ...fields.map(([field, value]) => toOption("--form-string", `${field}=${value}`)),
    toOption("--form", file),
  ];
}

/** A file name for curl's --form, which treats commas, semicolons and quotes specially. */
const quoteForCurl = (name: string): string => `"${name.replace(/["\\]/g, "\\$&")}"`;

/** The request with a variable in place of a secret. */
function toDocument({ method, url, headers, authorization, body }: DryRunRequest) {
  const all = {
    ...(authorization && { authorization: `Bearer ${TOKEN_PLACEHOLDERS[authorization]}` }),
    ...headers,
    ...(body && { "content-type": chooseContentType(body) }),
  };
  return { method, url, headers: all, body };
}

function renderLines({ method, url, headers, body }: ReturnType<typeof toDocument>): string[] {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...fields, ...(body ? ["", ...renderBodyLines(body)] : [])];
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
