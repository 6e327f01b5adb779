import { BlockList, isIP } from "node:net";

type Network = readonly [network: string, bits: number, family: "ipv4" | "ipv6"];

/** RFC 3927, RFC 4291 §2.5.6. */
const LINK_LOCAL_NETWORKS: readonly Network[] = [
  ["169.254.0.0", 16, "ipv4"],
  ["fe80::", 10, "ipv6"],
];

/** Where only the same network leads (and RFC 1918, 4193, 6598). */
const PRIVATE_NETWORKS: readonly Network[] = [
  ...LINK_LOCAL_NETWORKS,
  ["10.0.0.0", 8, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["fc00::", 7, "ipv6"],
];

/** Whether the host of a URL is one that nobody outside reaches, as far as its name or address tells. */
export function isPrivateHost(hostname: string): boolean {
  const host = stripBrackets(hostname);
  if (isIP(host) === 0) return !host.includes(".") || /\.(local|lan|internal|home\.arpa)$/.test(host);
  return isInNetworks(host, PRIVATE_NETWORKS);
}

/** Whether it is an address of which every network segment has its own, and clouds their metadata. */
export const isLinkLocal = (hostname: string): boolean =>
  isInNetworks(stripBrackets(hostname), LINK_LOCAL_NETWORKS);

const stripBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

function isInNetworks(host: string, networks: readonly Network[]): boolean {
  const version = isIP(host);
  if (version === 0) return false;
  const blocks = new BlockList();
  for (const [network, bits, family] of networks) blocks.addSubnet(network, bits, family);
  return blocks.check(host, version === 6 ? "ipv6" : "ipv4");
}
