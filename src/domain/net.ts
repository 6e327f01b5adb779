import { ClaimsError, unreachableError } from "./errors.ts";

/** Whether a host is this machine itself, whatever a resolver answers (RFC 6761 §6.3). */
export const isLoopback = (host: string): boolean =>
  /^(.+\.)?localhost$|^127(\.\d{1,3}){3}$|^(::1|\[::1\])$/.test(host);

/** Whether a text can be the host of a URL: a name, or an address, with brackets if it is one of IPv6. */
export const isHostName = (text: string): boolean => /^([\w-]+(\.[\w-]+)*\.?|\[[\da-f:.]+\])$/i.test(text);

/** Leaves out the user and the query, which may contain a secret. A second call changes nothing. */
export function redactUrl(url: string): string {
  // Without these, and with a redacted host.
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname}${search && "?…"}`;
}

/** The code of the innermost error: undici wraps errors, and Node collects those of several addresses. */
export function findErrorCode(error: unknown): string {
  const { code, cause, errors, message } = error as Partial<NodeJS.ErrnoException & AggregateError>;
  if (code) return code;
  const inner = cause ?? errors?.[0];
  return inner === undefined ? (message ?? "unknown error") : findErrorCode(inner);
}

/** Why a request got no response, or only a part of one: the codes of product.md §5 that have a cause below HTTP. */
export type ConnectionFailure =
  | "dns_error"
  | "connection_refused"
  | "connection_reset"
  | "timeout"
  | "tls_error"
  | "network_error";

/** @param code of {@link findErrorCode} */
export function classifyErrorCode(code: string): ConnectionFailure {
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code)) return "dns_error";
  if (code === "ECONNREFUSED") return "connection_refused";
  if (/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/.test(code)) return "connection_reset";
  if (/TIMEDOUT|TIMEOUT/.test(code)) return "timeout";
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ISSUER|HOSTNAME|ERR_TLS/.test(code)) return "tls_error";
  return "network_error";
}

/** Explains why a server cannot listen; returns any other error unchanged. */
export function toListenError(
  error: unknown,
  host: string,
  port: number,
  portHint = "choose another port; port 0 takes a free one",
): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return unreachableError("port_in_use", `another program uses port ${port} on ${host}`, {
      hint: portHint,
      cause: error,
    });
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EACCES")
    return new ClaimsError("usage", "option_invalid", `cannot listen on ${host}:${port} (${code})`, {
      hint: "use 127.0.0.1, ::1 or another address of this machine, and a port above 1023",
      cause: error,
    });
  return error;
}
