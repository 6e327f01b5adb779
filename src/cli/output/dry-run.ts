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
  { curl, json, ndjson, out }: GlobalOptions,
): Promise<void> {
  if (!(error instanceof DryRun)) throw error;
  await print(renderDryRun(error.request, curl), context, { json: Boolean(json || ndjson), out });
}

/** @param isCurl whether it is a command */
export function renderDryRun(request: DryRunRequest, isCurl = false): Output {
  if (isCurl) return { kind: "stream", body: [`${renderCurl(request)}\n`] };
  const document = toDocument(request);
  return { kind: "record", json: document, blocks: [{ kind: "paragraph", lines: renderLines(document) }] };
}

/** curl reads a secret from stdin, because all users can see command lines; a body from stdin moves to descriptor 3. */
function renderCurl({ method, url, headers, authorization, body }: DryRunRequest): string {
  const secret = body && body.file === null ? Object.values(body.fields).find(isSecretVariable) : undefined;
  const options = [
    ["--request", method, quoteShellWordForTerminal(url)],
    ...(authorization ? [["--header", "@-"]] : []),
    ...Object.entries(headers).map(([name, value]) => toOption("--header", `${name}: ${value}`)),
    ...(body ? listBodyOptions(body, authorization ? STDIN_COPY : "-") : []),
  ];
  const curl = ["curl --fail-with-body", ...options.map((words) => words.join(" "))].join(" \\\n  ");
  // printf is part of the shell, so its arguments are in no list of processes.
  if (!authorization) return secret ? `printf %s "${secret}" | ${curl}` : curl;
  const piped = `printf 'Authorization: Bearer %s' "${TOKEN_PLACEHOLDERS[authorization]}" | ${curl}`;
  return body?.file?.source === "-" ? `{ ${piped}; } 3<&0` : piped;
}

const STDIN_COPY = "/dev/fd/3";

const isSecretVariable = (value: string): boolean => value.startsWith("$CLAIMS_");

const toOption = (flag: string, value: string): string[] => [flag, quoteShellWordForTerminal(value)];

/** @param stdin the file that has the stdin of the command */
function listBodyOptions({ contentType, fields, file, text }: DryRunBody, stdin: string): string[][] {
  const source = file?.source === "-" ? stdin : file?.source;
  const entries = Object.entries(fields);
  if (entries.length === 0)
    return [
      toOption("--header", `content-type: ${contentType}`),
      toOption("--data-binary", text ?? `@${source}`),
    ];
  if (file === null || source === undefined)
    return entries.map(([name, value]) =>
      isSecretVariable(value)
        ? ["--data-urlencode", `${name}@-`]
        : toOption("--data-urlencode", `${name}=${value}`),
    );
  const details = `;filename=${quoteForCurl(file.name)};type=${file.contentType}`;
  return [
    // --form takes a value that starts with @ or < for a file name.
    ...entries.map(([name, value]) => toOption("--form-string", `${name}=${value}`)),
    toOption("--form", `file=@${quoteForCurl(source)}${details}`),
  ];
}

/** Without `--curl`. */
function listBodyLines({ fields, file, text }: DryRunBody): readonly string[] {
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  if (file === null) return [...lines, ...(text?.split("\n") ?? [])];
  const { contentType, size, source } = file;
  if (lines.length > 0) return [...lines, `file=@${source} (${size} bytes, ${contentType})`];
  return [size === null ? `@${source}` : `@${source} (${size} bytes)`];
}

/** A file name for curl's --form, which treats commas, semicolons and quotes specially. */
const quoteForCurl = (name: string): string => `"${name.replace(/["\\]/g, "\\$&")}"`;

/** The request with a variable in place of a secret. */
function toDocument({ method, url, headers, authorization, body }: DryRunRequest) {
  const all = {
    ...(authorization && { authorization: `Bearer ${TOKEN_PLACEHOLDERS[authorization]}` }),
    ...headers,
    ...(body && { "content-type": body.contentType }),
  };
  return { method, url, headers: all, body };
}

function renderLines({ method, url, headers, body }: ReturnType<typeof toDocument>): string[] {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...fields, ...(body ? ["", ...listBodyLines(body)] : [])];
}
