import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { isHostName, isLoopback } from "../../src/domain/net.ts";
import { type ProblemError, problemError } from "../wire/problem-error.ts";

/** Returns the error to refuse a request with, or null. Rewrites an absolute `req.url` to its path and query. */
export type RequestGuard = (req: IncomingMessage) => ProblemError | null;

/** How Docker and Podman name the machine to its containers. The names below `.internal` cannot be registered. */
const CONTAINER_HOSTS = ["host.docker.internal", "host.containers.internal"];

/**
 * Keeps out the pages of other sites that bind their own name to 127.0.0.1 (DNS rebinding): the browser takes the sandbox for
 * their server, and on loopback the credentials are the same on every machine. Beyond loopback they are random, so only the
 * control API is guarded, and every IP address passes: an attacker can bind only a name.
 *
 * @param boundHosts what the sandbox listens on: loopback addresses, or one other address or name
 */
export function createRequestGuard(
  boundHosts: readonly string[],
  allowHosts: readonly string[],
): RequestGuard {
  const isOnLoopback = boundHosts.every(isLoopback);
  const names = new Set([...boundHosts, ...CONTAINER_HOSTS, ...allowHosts].map(normalizeHost));
  const isAllowedHost = (host: string): boolean =>
    isLoopback(host) || names.has(host) || (!isOnLoopback && isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0);
  // Nearly all requests of a sandbox have the same Host.
  let lastAllowed: string | undefined;
  const isAllowedAuthority = (authority: string): boolean => {
    if (authority === lastAllowed) return true;
    const host = parseAuthority(authority);
    if (host === null || !isAllowedHost(host)) return false;
    lastAllowed = authority;
    return true;
  };

  return (req) => {
    const hosts = collectValues(req, "host");
    const problem = findHeaderProblem(req, hosts);
    if (problem !== null) return problem;
    const target = parseTarget(req.url ?? "");
    if (target === null)
      return malformed("The request target is not a path and not a URL of HTTP (RFC 9112 §3.2).");
    req.url = target.path;
    if (!isOnLoopback && !target.path.startsWith("/_sandbox")) return null;
    const refused = [...hosts, ...target.authorities].find((authority) => !isAllowedAuthority(authority));
    return refused === undefined ? null : refuseAuthority(refused);
  };
}

function findHeaderProblem(req: IncomingMessage, hosts: readonly string[]): ProblemError | null {
  if (hosts.length === 0 && req.httpVersion !== "1.0")
    return malformed("The request has no Host header (RFC 9112 §3.2).");
  if (hosts.length > 1) return malformed("The request has more than one Host header (RFC 9112 §3.2).");
  const [credential, ...others] = collectValues(req, "authorization");
  if (others.some((other) => other !== credential))
    return malformed("The request has two different Authorization headers (RFC 9110 §5.3).");
  return null;
}

const malformed = (detail: string): ProblemError => problemError("malformed_request", detail);

/** All values of a header; Node's `headers` has only the first of some. */
function collectValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at] ?? "";
    // The length first: this runs for each header of each request.
    if (field.length === name.length && field.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? "");
  }
  return values;
}

interface Target {
  /** Path and query, or `*`. */
  readonly path: string;
  /** That of an absolute URL; RFC 9112 §3.2.2 prefers it to the Host header. */
  readonly authorities: readonly string[];
}

function parseTarget(url: string): Target | null {
  if (url.startsWith("/") || url === "*") return { path: url, authorities: [] };
  const [, authority, rest = ""] = /^https?:\/\/([^/?#]+)(.*)$/is.exec(url) ?? [];
  if (authority === undefined || !URL.canParse(url)) return null;
  // An empty path is equivalent to "/" (RFC 9110 §4.2.3).
  return { path: rest.startsWith("/") ? rest : `/${rest}`, authorities: [authority] };
}

/** The host, normalized. Null for a user, a list or a space, in which each parser of URLs reads another host (RFC 9110 §7.2). */
function parseAuthority(authority: string): string | null {
  const host = authority.replace(/:\d{1,5}$/, "");
  return isHostName(host) ? normalizeHost(host) : null;
}

/** A dot at the end says that a name is complete: it is the same host. */
const normalizeHost = (host: string): string => host.toLowerCase().replace(/\.$/, "");

function refuseAuthority(authority: string): ProblemError {
  const name = parseAuthority(authority) ?? "NAME";
  return problemError(
    "host_not_allowed",
    `This sandbox does not answer to the host "${authority}". If it is a name of this sandbox, start it with --allow-host ${name} (allowHosts of startSandbox).`,
  );
}
