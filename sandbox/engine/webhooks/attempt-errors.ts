import { findErrorCode } from "../../../src/domain/net.ts";
import type { AttemptFailure } from "../../../src/domain/webhooks/deliveries.ts";
import { AddressBlockedError } from "./addresses.ts";

/** A failed attempt in a word for programs and a sentence for people, without anything secret. */
export interface AttemptError {
  readonly code: AttemptFailure;
  readonly detail: string;
}

/** The whole time of an attempt is over. */
export class AttemptTimeoutError extends Error {
  override readonly name = "OutOfTime";
}

/** How far an attempt came before it failed. */
export interface AttemptStage {
  readonly url: string;
  /** Whether there was a connection to send on. */
  readonly isConnected: boolean;
  /** Of the answer, if one began. */
  readonly status: number | null;
  readonly timeoutMs: number;
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** What is wrong with an answer whose status is none of success. */
export function classifyResponse(status: number, location: string | undefined, url: string): AttemptError {
  if (location === undefined || status < 300 || status > 399)
    return { code: "http_status", detail: `the receiver answered ${status}` };
  const target = redactLocation(location, url);
  const detail = `the receiver answered ${status} and points to ${target}; a redirect is never followed`;
  return { code: "redirect", detail };
}

/** Without query and user: either may hold a secret. */
function redactLocation(location: string, base: string): string {
  if (!URL.canParse(location, base)) return "no valid address";
  const { protocol, host, pathname } = new URL(location, base);
  return `${protocol}//${host}${pathname}`.slice(0, 200);
}

/** What an error of DNS, socket, TLS or HTTP means. */
export function classifyError(error: unknown, reached: AttemptStage): AttemptError {
  const { host, hostname, protocol } = new URL(reached.url);
  const code = findErrorCode(error);
  if (error instanceof AddressBlockedError) return { code: "address_blocked", detail: error.message };
  if (error instanceof AttemptTimeoutError || /TIMEDOUT|TIMEOUT/.test(code))
    return { code: "timeout", detail: describeTimeout(host, reached) };
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code))
    return { code: "dns_error", detail: `the name ${hostname} cannot be resolved (${code})` };
  if (code === "ECONNREFUSED") return { code: "connection_refused", detail: `nothing listens at ${host}` };
  if (isTruncated(error, code, reached))
    return { code: "connection_reset", detail: describeReset(host, reached) };
  if (protocol === "https:" && !reached.isConnected && !/^E(HOST|NET|ADDR|ACCES|MFILE|NFILE)/.test(code))
    return { code: "tls_error", detail: describeTlsError(host, code) };
  return { code: "network_error", detail: describeNetworkError(error, host, code) };
}

/** undici tells some of them by words alone. An answer shorter than announced was cut off. */
function isTruncated(error: unknown, code: string, { status }: AttemptStage): boolean {
  const { message } = error as Error;
  if (status !== null && (code === LENGTH_MISMATCH || /EOF/.test(message))) return true;
  return (
    /^(ECONNRESET|ECONNABORTED|EPIPE)$/.test(code) || (code === "UND_ERR_SOCKET" && /closed/.test(message))
  );
}

const LENGTH_MISMATCH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

function describeTimeout(host: string, { isConnected: connected, status, timeoutMs }: AttemptStage): string {
  const limit = `within ${timeoutMs / 1000} s`;
  if (!connected) return `no connection to ${host} ${limit}`;
  return status === null
    ? `${host} did not answer ${limit}`
    : `the answer of ${host} (${status}) did not end ${limit}`;
}

const describeReset = (host: string, { isConnected: connected, status }: AttemptStage): string => {
  if (!connected) return `${host} closed the connection before anything could be sent`;
  return status === null
    ? `${host} closed the connection without an answer`
    : `${host} closed the connection in the middle of its answer (${status})`;
};

const describeTlsError = (host: string, code: string): string =>
  /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ISSUER|HOSTNAME/.test(code)
    ? `the certificate of ${host} was not accepted (${code})`
    : `no TLS connection to ${host} came about (${code})`;

function describeNetworkError(error: unknown, host: string, code: string): string {
  if (code === "UND_ERR_HEADERS_OVERFLOW") return `the headers of ${host}'s answer are too large`;
  const { name, message } = error as Error;
  if (name !== "HTTPParserError" && code !== "UND_ERR_SOCKET" && code !== LENGTH_MISMATCH)
    return `the connection to ${host} failed (${code})`;
  // The parser's own words stand in brackets.
  const [, reason = message] = /\((.+)\)$/.exec(message) ?? [];
  return `what ${host} sent back is no valid HTTP answer (${reason})`;
}
