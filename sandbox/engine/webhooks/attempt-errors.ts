import { type ConnectionFailure, classifyErrorCode, findErrorCode } from "../../../src/domain/net.ts";
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
  if (error instanceof AddressBlockedError) return { code: "address_blocked", detail: error.message };
  const failure = findFailure(error, stage);
  return { code: failure, detail: describeFailure(failure, error, stage) };
}

const LENGTH_MISMATCH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

function findFailure(error: unknown, { url, isConnected, status }: AttemptStage): ConnectionFailure {
  if (error instanceof AttemptTimeoutError) return "timeout";
  const code = findErrorCode(error);
  // undici has no code for some of these errors, only a message.
  const { message } = error as Error;
  if (status !== null && (code === LENGTH_MISMATCH || /EOF/.test(message))) return "connection_reset";
  const isInvalidResponse = code === "UND_ERR_SOCKET" && !/closed/.test(message);
  const failure = isInvalidResponse ? "network_error" : classifyErrorCode(code);
  // Whatever else fails before the connection is ready is the TLS handshake, but for errors of the system.
  const isHandshake = url.startsWith("https:") && !isConnected;
  const isOfSystem = /^E(HOST|NET|ADDR|ACCES|MFILE|NFILE)/.test(code);
  return failure === "network_error" && isHandshake && !isOfSystem ? "tls_error" : failure;
}

function describeFailure(failure: ConnectionFailure, error: unknown, stage: AttemptStage): string {
  const { host, hostname } = new URL(stage.url);
  const code = findErrorCode(error);
  switch (failure) {
    case "dns_error":
      return `the name ${hostname} cannot be resolved (${code})`;
    case "connection_refused":
      return `nothing listens at ${host}`;
    case "connection_reset":
      return `${host} closed the connection ${describeMoment(stage)}`;
    case "timeout":
      return describeTimeout(host, stage);
    case "tls_error":
      return classifyErrorCode(code) === "tls_error"
        ? `the certificate of ${host} is not trusted (${code})`
        : `TLS connection to ${host} failed (${code})`;
    case "network_error":
      return describeNetworkError(error, host, code);
  }
}

function describeMoment({ isConnected, status }: AttemptStage): string {
  if (!isConnected) return "before anything could be sent";
  return status === null ? "without a response" : `in the middle of its response (${status})`;
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
