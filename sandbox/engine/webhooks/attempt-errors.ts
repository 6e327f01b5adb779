import { findErrorCode } from "../../../src/domain/net.ts";
import type { AttemptError } from "../../store/attempts.ts";
import { AddressBlockedError } from "./addresses.ts";

export class AttemptTimeoutError extends Error {
  override readonly name = "AttemptTimeoutError";
}

export interface AttemptStage {
  readonly url: string;
  readonly isConnected: boolean;
  readonly status: number | null;
  readonly timeoutMs: number;
}

export function classifyResponse(status: number, location: string | undefined, url: string): AttemptError {
  if (location === undefined || status < 300 || status > 399)
    return { code: "http_status", detail: `the receiver responded ${status}` };
  const target = redactLocation(location, url);
  const detail = `the receiver responded ${status} and points to ${target}; redirects are never followed`;
  return { code: "redirect", detail };
}

/** Leaves out query and user, which may contain a secret. */
function redactLocation(location: string, base: string): string {
  if (!URL.canParse(location, base)) return "an invalid address";
  const { protocol, host, pathname } = new URL(location, base);
  return `${protocol}//${host}${pathname}`.slice(0, 200);
}

export function classifyError(error: unknown, stage: AttemptStage): AttemptError {
  const { host, hostname, protocol } = new URL(stage.url);
  const { isConnected, status } = stage;
  const code = findErrorCode(error);
  if (error instanceof AddressBlockedError) return { code: "address_blocked", detail: error.message };
  if (error instanceof AttemptTimeoutError || /TIMEDOUT|TIMEOUT/.test(code))
    return { code: "timeout", detail: describeTimeout(host, stage) };
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code))
    return { code: "dns_error", detail: `the name ${hostname} cannot be resolved (${code})` };
  if (code === "ECONNREFUSED") return { code: "connection_refused", detail: `nothing listens at ${host}` };
  if (isClosedEarly(error, code, status)) {
    const responded = status === null ? "without a response" : `in the middle of its response (${status})`;
    const when = isConnected ? responded : "before anything could be sent";
    return { code: "connection_reset", detail: `${host} closed the connection ${when}` };
  }
  if (protocol === "https:" && !isConnected && !/^E(HOST|NET|ADDR|ACCES|MFILE|NFILE)/.test(code)) {
    const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ISSUER|HOSTNAME/.test(code);
    const subject = isCertificate
      ? `the certificate of ${host} is not trusted`
      : `TLS connection to ${host} failed`;
    return { code: "tls_error", detail: `${subject} (${code})` };
  }
  return { code: "network_error", detail: describeNetworkError(error, host, code) };
}

const LENGTH_MISMATCH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** undici has no code for some of these errors, only a message. */
function isClosedEarly(error: unknown, code: string, status: number | null): boolean {
  const { message } = error as Error;
  if (status !== null && (code === LENGTH_MISMATCH || /EOF/.test(message))) return true;
  return (
    /^(ECONNRESET|ECONNABORTED|EPIPE)$/.test(code) || (code === "UND_ERR_SOCKET" && /closed/.test(message))
  );
}

function describeTimeout(host: string, { isConnected, status, timeoutMs }: AttemptStage): string {
  const limit = `within ${timeoutMs / 1000} s`;
  if (!isConnected) return `no connection to ${host} ${limit}`;
  return status === null
    ? `${host} did not respond ${limit}`
    : `the response of ${host} (${status}) did not end ${limit}`;
}

function describeNetworkError(error: unknown, host: string, code: string): string {
  if (code === "UND_ERR_HEADERS_OVERFLOW") return `the response headers of ${host} are too large`;
  // undici asserts that a status has three digits and is not 000.
  if (code === "ERR_ASSERTION") return `${host} sent an invalid HTTP response`;
  const { name, message } = error as Error;
  if (name === "HTTPParserError" || code === "UND_ERR_SOCKET" || code === LENGTH_MISMATCH) {
    // The message has the parser's reason in brackets.
    const [, reason = message] = /\((.+)\)$/.exec(message) ?? [];
    return `${host} sent an invalid HTTP response (${reason})`;
  }
  return `the connection to ${host} failed (${code})`;
}
