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
  const { isFromStdin = false, secret, listOptions } = (body && showBody(body)) ?? {};
  const options = [
    ["--request", method, quoteShellWordForTerminal(url)],
    ...(authorization ? [["--header", "@-"]] : []),
    ...Object.entries(headers).map(([name, value]) => toOption("--header", `${name}: ${value}`)),
    ...(listOptions?.(authorization ? STDIN_COPY : "-") ?? []),
  ];
  const curl = ["curl --fail-with-body", ...options.map((words) => words.join(" "))].join(" \\\n  ");
  // printf is part of the shell, so its arguments are in no list of processes.
  if (!authorization) return secret ? `printf %s "${secret}" | ${curl}` : curl;
  const piped = `printf 'Authorization: Bearer %s' "${TOKEN_PLACEHOLDERS[authorization]}" | ${curl}`;
  return isFromStdin ? `{ ${piped}; } 3<&0` : piped;
}

const STDIN_COPY = "/dev/fd/3";

const isSecretVariable = (value: string): boolean => value.startsWith("$CLAIMS_");

const toOption = (flag: string, value: string): string[] => [flag, quoteShellWordForTerminal(value)];

interface ShownBody {
  readonly contentType: string;
  /** Without `--curl`. */
  readonly lines: readonly string[];
  /** Of curl. @param stdin the file that has the stdin of the command */
  readonly listOptions: (stdin: string) => readonly string[][];
  readonly isFromStdin?: boolean;
  /** The variable of a secret, which curl reads from stdin. */
  readonly secret?: string | undefined;
}

function showBody(body: DryRunBody): ShownBody {
  if (body.kind === "bytes") {
    const { contentType, text, size } = body;
    const source = body.source ?? "-";
    const bytes = size === null ? "" : ` (${size} bytes)`;
    return {
      contentType,
      isFromStdin: text === null && source === "-",
      lines: text === null ? [`@${source}${bytes}`] : text.split("\n"),
      listOptions: (stdin) => [
        toOption("--header", `content-type: ${contentType}`),
        toOption("--data-binary", text ?? `@${source === "-" ? stdin : source}`),
      ],
    };
  }
  const fields = Object.entries(body.fields);
  const lines = fields.map(([name, value]) => `${name}=${value}`);
  if (body.kind === "form") {
    const toFormOption = ([name, value]: readonly [string, string]) =>
      isSecretVariable(value)
        ? ["--data-urlencode", `${name}@-`]
        : toOption("--data-urlencode", `${name}=${value}`);
    return {
      contentType: "application/x-www-form-urlencoded",
      lines,
      secret: Object.values(body.fields).find(isSecretVariable),
      listOptions: () => fields.map(toFormOption),
    };
  }
  const { source, name, size, contentType } = body.file;
  const details = `;filename=${quoteForCurl(name)};type=${contentType}`;
  return {
    contentType: "multipart/form-data",
    isFromStdin: source === "-",
    lines: [...lines, `file=@${source} (${size} bytes, ${contentType})`],
    listOptions: (stdin) => [
      // --form takes a value that starts with @ or < for a file name.
      ...lines.map((line) => toOption("--form-string", line)),
      toOption("--form", `file=@${quoteForCurl(source === "-" ? stdin : source)}${details}`),
    ],
  };
}

/** A file name for curl's --form, which treats commas, semicolons and quotes specially. */
const quoteForCurl = (name: string): string => `"${name.replace(/["\\]/g, "\\$&")}"`;

/** The request with a variable in place of a secret. */
function toDocument({ method, url, headers, authorization, body }: DryRunRequest) {
  const all = {
    ...(authorization && { authorization: `Bearer ${TOKEN_PLACEHOLDERS[authorization]}` }),
    ...headers,
    ...(body && { "content-type": showBody(body).contentType }),
  };
  return { method, url, headers: all, body };
}

function renderLines({ method, url, headers, body }: ReturnType<typeof toDocument>): string[] {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...fields, ...(body ? ["", ...showBody(body).lines] : [])];
}
