import { Buffer } from "node:buffer";
import { type Credential, MIN_SECRET_LENGTH, secretOf } from "./auth/credential.ts";
import type { MultipartInput } from "./http/multipart.ts";
import type { RawRequest } from "./request.ts";

/** What a request would carry: the fields of a form, or how many bytes from where. */
export type DryRunBody =
  | {
      readonly kind: "multipart";
      readonly fields: Readonly<Record<string, string>>;
      readonly file: {
        /** How the command line named it, or its own name. */
        readonly source: string;
        readonly name: string;
        readonly contentType: string;
        /** Bytes. */
        readonly size: number;
      };
    }
  | { readonly kind: "form"; readonly fields: Readonly<Record<string, string>> }
  | {
      readonly kind: "bytes";
      readonly contentType: string;
      /** Bytes; null where nobody knows before it is read. */
      readonly size: number | null;
      /** How the command line named the file, where it is one. */
      readonly source: string | null;
      /** The body itself, where it is at hand. */
      readonly text: string | null;
    };

/** A request as it would be sent. Where a secret would stand is the name of its environment variable. */
export interface DryRunRequest {
  readonly method: RawRequest["method"];
  readonly url: string;
  /** Names in lower case. Without `authorization`, `user-agent` and what the body says of itself. */
  readonly headers: Readonly<Record<string, string>>;
  /** Which credential the `Authorization` would come from. */
  readonly authorization: Credential["kind"] | null;
  readonly body: DryRunBody | null;
}

/** What stands in the place of a credential's secret. */
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

export const describeMultipart = ({ fields, file }: MultipartInput): DryRunBody => ({
  kind: "multipart",
  fields,
  file: {
    source: file.source ?? file.name,
    name: file.name,
    contentType: file.contentType,
    size: file.size,
  },
});

/** A body of bytes; it is opened to learn what it says of itself, and not read. */
export function describeBytes({ body: open, source }: RawRequest): DryRunBody | null {
  if (!open) return null;
  const { headers, body } = open();
  if (typeof body === "object") body.destroy();
  const text = typeof body === "string" ? body : null;
  const length = headers["content-length"];
  const size = text === null ? (length === undefined ? null : Number(length)) : Buffer.byteLength(text);
  return {
    kind: "bytes",
    contentType: headers["content-type"] ?? "application/octet-stream",
    size,
    source: source ?? null,
    text,
  };
}

/** What would be sent, with the secret's variable in the place of a secret wherever it occurs. */
export function describeRequest(
  { method, path, headers = {} }: RawRequest,
  body: DryRunBody | null,
  { baseUrl, credential }: { readonly baseUrl: string; readonly credential: Credential | null },
): DryRunRequest {
  const listed = Object.entries(headers).filter(([name]) => !OMITTED_HEADERS.has(name));
  const request: DryRunRequest = {
    method,
    url: baseUrl + path,
    headers: Object.fromEntries(listed),
    authorization: credential?.kind ?? null,
    body,
  };
  return credential ? redactSecret(request, credential) : request;
}

const OMITTED_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "user-agent",
  "content-type",
  "content-length",
]);

function redactSecret(request: DryRunRequest, credential: Credential): DryRunRequest {
  const secret = secretOf(credential);
  if (secret.length < MIN_SECRET_LENGTH) return request;
  return JSON.parse(JSON.stringify(request), (_, value: unknown) =>
    typeof value === "string" ? value.replaceAll(secret, () => SECRET_VARIABLES[credential.kind]) : value,
  ) as DryRunRequest;
}
