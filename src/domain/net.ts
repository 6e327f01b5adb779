import { BlockList, isIP, isIPv6 } from "node:net";
import { ClaimsError } from "./errors.ts";

export const LOOPBACK_NETWORKS = ["127.0.0.0/8", "::1/128"] as const;

/** RFC 1918, RFC 6598, RFC 4193. */
export const PRIVATE_NETWORKS = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "fc00::/7",
] as const;

/** RFC 3927, RFC 4291 §2.5.6. Clouds serve their metadata there. */
export const LINK_LOCAL_NETWORKS = ["169.254.0.0/16", "fe80::/10"] as const;

/** @param subnets in CIDR notation, as in `10.0.0.0/8` */
export function createBlockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", bits] = subnet.split("/");
    list.addSubnet(network, Number(bits), isIPv6(network) ? "ipv6" : "ipv4");
  }
  return list;
}

/** False for a name: only an address can be in a network. */
export const isInNetwork = (address: string, list: BlockList): boolean =>
  isIP(address) !== 0 && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");

/** The address in the hostname of a URL, which has an IPv6 address in brackets. */
export const stripBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

/** Whether a host is this machine itself, whatever a resolver answers (RFC 6761 §6.3). */
export const isLoopback = (host: string): boolean =>
  /^(.+\.)?localhost$|^127(\.\d{1,3}){3}$|^(::1|\[::1\])$/.test(host);

/** Whether the name or address of a host shows that it is not reachable from the internet. */
export function isPrivateHost(hostname: string): boolean {
  const host = stripBrackets(hostname);
  if (isIP(host) === 0) return !host.includes(".") || /\.(local|lan|internal|home\.arpa)$/.test(host);
  return isInNetwork(host, createBlockList([...PRIVATE_NETWORKS, ...LINK_LOCAL_NETWORKS]));
}

export const isLinkLocal = (hostname: string): boolean =>
  isInNetwork(stripBrackets(hostname), createBlockList(LINK_LOCAL_NETWORKS));

/** The code of the innermost error: undici wraps errors, and Node collects those of several addresses. */
export function findErrorCode(error: unknown): string {
  const { code, cause, errors, message } = error as Partial<NodeJS.ErrnoException & AggregateError>;
  if (code) return code;
  const inner = cause ?? errors?.[0];
  return inner === undefined ? (message ?? "unknown error") : findErrorCode(inner);
}

/** Explains why a server cannot listen; returns any other error unchanged. */
export function toListenError(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new ClaimsError("usage", "port_in_use", `another program uses port ${port} on ${host}`, {
      hint: "choose another with --port, or --port 0 for a free one",
      cause: error,
    });
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EACCES")
    return new ClaimsError("usage", "host_unavailable", `cannot listen on ${host}:${port} (${code})`, {
      hint: "use 127.0.0.1, or an address of this machine and a port above 1023",
      cause: error,
    });
  return error;
}
