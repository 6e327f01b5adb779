import { BlockList, isIP } from "node:net";

/** Where only the same network leads (RFC 1918, 3927, 4193, 4291 §2.5.6, 6598). */
const PRIVATE: readonly (readonly [network: string, bits: number, family: "ipv4" | "ipv6"])[] = [
  ["10.0.0.0", 8, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
];

/** Whether the host of a URL is one that nobody outside reaches, as far as its name or address tells. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const version = isIP(host);
  if (version === 0) return !host.includes(".") || /\.(local|lan|internal|home\.arpa)$/.test(host);
  const blocks = new BlockList();
  for (const [network, bits, family] of PRIVATE) blocks.addSubnet(network, bits, family);
  return blocks.check(host, version === 6 ? "ipv6" : "ipv4");
}
