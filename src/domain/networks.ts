import { BlockList, isIP, isIPv6 } from "node:net";

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

/** Tells whether an address is in one of several networks. */
export class Networks {
  readonly #subnets: readonly string[];
  #list: BlockList | null = null;

  /** @param subnets in CIDR notation, as in `10.0.0.0/8` */
  constructor(subnets: readonly string[]) {
    this.#subnets = subnets;
  }

  /** False for a name: only an address can be in a network. Throws if a subnet is not valid. */
  has(address: string): boolean {
    if (isIP(address) === 0) return false;
    // node:net loads BlockList on first access, which takes 5 ms, and few commands need it.
    this.#list ??= createBlockList(this.#subnets);
    return this.#list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  }
}

function createBlockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", bits] = subnet.split("/");
    list.addSubnet(network, Number(bits), isIPv6(network) ? "ipv6" : "ipv4");
  }
  return list;
}

/** The address in the hostname of a URL, which has an IPv6 address in brackets. */
export const stripBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

const LINK_LOCAL_ADDRESSES = new Networks(LINK_LOCAL_NETWORKS);
const INTERNAL_ADDRESSES = new Networks([...PRIVATE_NETWORKS, ...LINK_LOCAL_NETWORKS]);

export function isPrivateHost(hostname: string): boolean {
  const host = stripBrackets(hostname);
  if (isIP(host) === 0) return !host.includes(".") || /\.(local|lan|internal|home\.arpa)$/.test(host);
  return INTERNAL_ADDRESSES.has(host);
}

export const isLinkLocal = (hostname: string): boolean => LINK_LOCAL_ADDRESSES.has(stripBrackets(hostname));
