import { Buffer } from "node:buffer";
import type { Sandbox } from "../../../../sandbox/index.ts";
import type { GatewayBehaviour, PassingResponse } from "./gateway.ts";

export interface ForeignInput {
  /** The URL of a host that is not the service. */
  readonly elsewhere: string;
  readonly endProgram: () => void;
  readonly file: Buffer;
}

export type ForeignService = (input: ForeignInput) => GatewayBehaviour;

const changes =
  (change: (response: PassingResponse) => void): ForeignService =>
  () => ({
    changeResponse(response) {
      if (response.status < 300) change(response);
      return undefined;
    },
  });

const isSubmission = ({ operation }: PassingResponse): boolean => operation === "diligence.submit";

/** A read of the service, except of its contract. */
const isRead = ({ method, operation }: PassingResponse): boolean =>
  method === "GET" && operation !== null && operation !== "document.openapi";

/** Replaces the content of the part `file` of a multipart form; another body stays. */
function replaceFilePart(body: Buffer, contentType: string, file: Buffer): Buffer {
  const [, quoted, plain] =
    /^multipart\/form-data\b.*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  const name = body.toString("latin1").search(/^content-disposition:.*[; ]name="?file"?(;|\s*$)/im);
  if (boundary === undefined || name < 0) return body;
  const start = body.indexOf("\r\n\r\n", name) + 4;
  const end = body.indexOf(`\r\n--${boundary}`, start);
  return end < 0 ? body : Buffer.concat([body.subarray(0, start), file, body.subarray(end)]);
}

const showLogin = (response: PassingResponse): void =>
  void Object.assign(response, {
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: Buffer.from("<!doctype html>\n<title>Log in</title>\n<form><input name=user></form>\n"),
  });

/** Resumes that fail again, after which a program has shown that it does not stop. */
const MAX_RESUMES = 8;

export const FOREIGN_SERVICES = {
  ignoresKeys: () => ({ changeRequest: (headers) => void delete headers["idempotency-key"] }),

  /** A program may submit a file of its own: what a job meets is in its file. */
  replacesFile: ({ file, endProgram }) => {
    let resumes = 0;
    return {
      changeBody: (body, headers) => replaceFilePart(body, String(headers["content-type"]), file),
      changeResponse({ operation, status }) {
        if (operation === "diligence.resume" && status < 300) resumes += 1;
        if (resumes > MAX_RESUMES) endProgram();
        return undefined;
      },
    };
  },

  emptyResponse: changes((response) => {
    if (isSubmission(response)) Object.assign(response, { status: 202, body: Buffer.alloc(0) });
  }),

  logsIn: changes((response) => {
    if (isRead(response)) showLogin(response);
  }),

  redirects: ({ elsewhere }) => {
    const seen = new Set<string | null>();
    return {
      changeResponse(response) {
        if (!isRead(response) || seen.has(response.operation)) return undefined;
        seen.add(response.operation);
        response.headers = { location: elsewhere + response.target };
        Object.assign(response, { status: 307, body: Buffer.alloc(0) });
        return undefined;
      },
    };
  },
} as const satisfies Record<string, ForeignService>;

export type ForeignServiceName = keyof typeof FOREIGN_SERVICES;

/** The beginning of a key without the prefix that every key of the sandbox has. */
const PART_LENGTH = 12;

/** Continues as the service would. @param strays gets a word for each request with a credential */
export function createOtherHost({ credentials }: Sandbox, strays: string[]): GatewayBehaviour {
  const { apiKey, clientSecret } = credentials.sandbox;
  const parts = [apiKey, clientSecret, credentials.production.apiKey].map((secret) =>
    secret.replace(/^\w\w_[a-z]+_/, "").slice(0, PART_LENGTH),
  );
  return {
    changeRequest(headers) {
      const texts = Object.values(headers).flat().map(String);
      const basic = texts.map((text) =>
        Buffer.from(text.replace(/^Basic +/i, ""), "base64").toString("latin1"),
      );
      const isStray = [...texts, ...basic].some(
        (text) => /at_sandbox_/.test(text) || parts.some((part) => text.includes(part)),
      );
      if (isStray || headers["x-api-key"] !== undefined) strays.push("in a header");
      headers.authorization = `Bearer ${apiKey}`;
    },
    changeResponse({ target }) {
      if (parts.some((part) => target.includes(part))) strays.push("in the URL");
      return undefined;
    },
  };
}
