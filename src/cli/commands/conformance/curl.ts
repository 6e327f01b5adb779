import type { JudgedRequest } from "../../../conformance/assess.ts";
import { quoteShellWord } from "../../../domain/shell.ts";

/** Headers that say what a request is; the others come from the HTTP client. */
const SHOWN_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type"]);

const MAX_BODY = 400;

/** A request as a curl line. The shell fills in the address and the secret; the log has neither. */
export function renderCurl(request: JudgedRequest, key: string | null): string {
  const { method, target, requestHeaders } = request;
  const headers = requestHeaders.flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (lower === "x-api-key") return [`-H "${name}: $CLAIMS_API_KEY"`];
    if (lower === "authorization") return [`-H "${name}: ${/^\w+ /.exec(value)?.[0] ?? ""}$CLAIMS_API_KEY"`];
    // curl writes the boundary of a form itself.
    if (!SHOWN_HEADERS.has(lower) || value.startsWith("multipart/")) return [];
    return [`-H ${quoteShellWord(`${name}: ${value}`)}`];
  });
  const keys = key === null ? [] : [`-H ${quoteShellWord(`Idempotency-Key: ${key.replace(" ", "-")}`)}`];
  const url = `"$CLAIMS_BASE_URL"${quoteShellWord(target)}`;
  return ["curl -X", method, url, ...headers, ...keys, ...listBodyOptions(request)].join(" ");
}

function listBodyOptions({ requestBody }: JudgedRequest): string[] {
  if (requestBody === null) return [];
  const { fields, text } = requestBody;
  if (fields !== null)
    return [
      ...fields.map(([name, value]) => `-F ${quoteShellWord(`${name}=${value}`)}`),
      "-F file=@entries.csv",
    ];
  return text === null || text === "" ? [] : [`--data ${quoteShellWord(text.slice(0, MAX_BODY))}`];
}
