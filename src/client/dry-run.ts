import { type Credential, MIN_SECRET_LENGTH, secretOf } from "./auth/credential.ts";
import type { MultipartInput, UploadFile } from "./http/multipart.ts";
import type { RawRequest } from "./request.ts";

/** The body of a request: a text, the fields of a form, or a file, with the fields of its form or alone. */
export interface DryRunBody {
  readonly contentType: string;
  readonly text: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly file: DryRunFile | null;
}

interface DryRunFile extends Pick<UploadFile, "name" | "contentType"> {
  /** How the user named it; `-` for stdin. */
  readonly source: string;
  /** Bytes; null if unknown before the file is read. */
  readonly size: number | null;
}

/** The request of a dry run. Names of environment variables replace secrets. */
export interface DryRunRequest {
  readonly method: RawRequest["method"];
  readonly url: string;
  /** Names in lower case, without `authorization`, `user-agent` and the headers of the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** The credential that `Authorization` comes from. */
  readonly authorization: Credential["kind"] | null;
  readonly body: DryRunBody | null;
}

export const SECRET_VARIABLES = {
  api_key: "$CLAIMS_API_KEY",
  oauth_client: "$CLAIMS_CLIENT_SECRET",
} as const satisfies Record<Credential["kind"], string>;

/** Thrown instead of sending the first request, with `isDryRun`. */
export class DryRun extends Error {
  override readonly name = "DryRun";
  readonly request: DryRunRequest;

  constructor(request: DryRunRequest) {
    super(`${request.method} ${request.url} was not sent: this is a dry run`);
    this.request = request;
  }
}

export const describeMultipart = ({ fields, file }: MultipartInput): DryRunBody => {
  const { name, source = name, contentType, size } = file;
  const sent = { source, name, contentType, size };
  return { contentType: "multipart/form-data", text: null, fields, file: sent };
};

/** Opens the body for its headers, and does not read it. */
export function describeBytes({ body: open, source = "-" }: RawRequest): DryRunBody | null {
  if (!open) return null;
  const { headers, body } = open();
  if (typeof body === "object") body.destroy();
  const { "content-length": length, "content-type": contentType = "application/octet-stream" } = headers;
  if (typeof body === "string") return { contentType, text: body, fields: {}, file: null };
  const size = length === undefined ? null : Number(length);
  return { contentType, text: null, fields: {}, file: { source, name: source, contentType, size } };
}

const OMITTED_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "user-agent",
  "content-type",
  "content-length",
]);

export function describeRequest(
  { method, path, headers = {} }: RawRequest,
  body: DryRunBody | null,
  baseUrl: string,
  credential: Credential | null,
): DryRunRequest {
  const request: DryRunRequest = {
    method,
    url: baseUrl + path,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OMITTED_HEADERS.has(name))),
    authorization: credential?.kind ?? null,
    body,
  };
  const secret = credential === null ? "" : secretOf(credential);
  if (credential === null || secret.length < MIN_SECRET_LENGTH) return request;
  return JSON.parse(JSON.stringify(request), (_, value: unknown) =>
    typeof value === "string" ? value.replaceAll(secret, () => SECRET_VARIABLES[credential.kind]) : value,
  ) as DryRunRequest;
}
