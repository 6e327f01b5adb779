import { lookup as resolve } from "node:dns";
import { isIPv6, type LookupFunction } from "node:net";
import { isLoopback } from "../../../src/domain/net.ts";
import {
  LINK_LOCAL_NETWORKS,
  LOOPBACK_NETWORKS,
  Networks,
  PRIVATE_NETWORKS,
} from "../../../src/domain/networks.ts";

/** Where an address leads (product.md §5, webhook delivery). */
export type AddressClass = "local" | "public" | "forbidden";

/** This machine and private networks. Docker and VPNs use addresses of 100.64/10 and 198.18/15. */
const LOCAL_ADDRESSES = new Networks([
  ...LOOPBACK_NETWORKS,
  ...PRIVATE_NETWORKS,
  "198.18.0.0/15",
  // A connection to the unspecified address reaches this machine. Development servers print it as theirs.
  "0.0.0.0/32",
  "::/128",
]);

/** Link-local, multicast and reserved addresses, and those of cloud metadata services, which hold credentials. */
const FORBIDDEN_ADDRESSES = new Networks([
  ...LINK_LOCAL_NETWORKS,
  ...["224.0.0.0/4", "240.0.0.0/4", "fec0::/10", "ff00::/8"],
  // Local NAT64: each network chooses where the IPv4 address is in it (RFC 8215, RFC 6052 §2.2).
  "64:ff9b:1::/48",
  // Oracle, Alibaba, Azure; AWS (metadata, pod identity), Google.
  ...["192.0.0.192/32", "100.100.100.200/32", "168.63.129.16/32"],
  ...["fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128"],
]);

/** Classifies an IPv4 or IPv6 address. An embedded IPv4 address decides, because the connection leads there. */
export function classifyAddress(address: string): AddressClass {
  const inner = isIPv6(address) ? (embeddedIpv4(parseIpv6Groups(address)) ?? address) : address;
  if (FORBIDDEN_ADDRESSES.has(inner)) return "forbidden";
  return LOCAL_ADDRESSES.has(inner) ? "local" : "public";
}

function parseIpv6Groups(address: string): readonly number[] {
  // The URL parser writes an IPv4 tail as groups (WHATWG URL §3.6).
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]`);
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const numbers = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number(`0x${group}`)));
  const [before, after] = [numbers(head), numbers(tail ?? "")];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** Returns the IPv4 address that an IPv6 address embeds, or null. */
function embeddedIpv4(groups: readonly number[]): string | null {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const zeros = (...some: readonly number[]) => some.every((group) => group === 0);
  // IPv4-mapped, IPv4-compatible (RFC 4291 §2.5.5) and IPv4-translated (RFC 2765 §2.1). :: and ::1 are themselves.
  if (zeros(a, b, c, d) && (zeros(e) ? f === 0xffff || (f === 0 && g > 0) : e === 0xffff && f === 0))
    return formatIpv4(g, h);
  // NAT64 (RFC 6052 §2.1).
  if (a === 0x64 && b === 0xff9b && zeros(c, d, e, f)) return formatIpv4(g, h);
  // 6to4 (RFC 3056 §2); Teredo writes its client inverted (RFC 4380 §4).
  if (a === 0x2002) return formatIpv4(b, c);
  if (a === 0x2001 && b === 0) return formatIpv4(g ^ 0xffff, h ^ 0xffff);
  return null;
}

const formatIpv4 = (high: number, low: number): string =>
  [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");

/** The message says why nothing is sent to the address, and how to allow it. */
export class AddressBlockedError extends Error {
  override readonly name = "AddressBlockedError";
}

export function checkAddress(
  address: string,
  allowPublic: boolean,
  name = address,
): AddressBlockedError | null {
  const addressClass = classifyAddress(address);
  if (addressClass === "local" || (addressClass === "public" && allowPublic)) return null;
  const where = name === address ? address : `${name} is ${address}, which`;
  return new AddressBlockedError(
    addressClass === "forbidden"
      ? `${where} is a link-local, metadata or reserved address; deliveries never go there`
      : `${where} is a public address; deliveries go there only with allowPublicWebhooks (--allow-public-webhooks)`,
  );
}

/** A lookup that checks every address. The connection uses its result, so a name cannot change. Literals do not get here. */
export function createGuardedLookup(allowPublic: boolean): LookupFunction {
  return (name, options, callback) => {
    // Names below localhost are this machine (RFC 6761 §6.3), and few resolvers know them.
    const host = isLoopback(name) ? "localhost" : name;
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, "");
      const blocks = found.map(({ address }) => checkAddress(address, allowPublic, name));
      const blocked = blocks.find((block) => block !== null);
      const [first] = found;
      if (blocked || !first) callback(blocked ?? new Error(`${name} has no address`), "");
      else if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}
