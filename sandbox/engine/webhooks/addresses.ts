import { lookup as resolve } from "node:dns";
import type { LookupFunction } from "node:net";
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
  // They lead to an IPv4 address that is part of them: IPv4-translated, NAT64, 6to4, Teredo (RFC 2765, 6052, 8215, 3056, 4380).
  ...["::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32"],
  // Oracle, Alibaba, Azure; AWS (metadata, pod identity), Google.
  ...["192.0.0.192/32", "100.100.100.200/32", "168.63.129.16/32"],
  ...["fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128"],
]);

/** Classifies an IPv4 or IPv6 address. An IPv4-mapped one is in the networks of its IPv4 address. */
export function classifyAddress(address: string): AddressClass {
  if (FORBIDDEN_ADDRESSES.has(address)) return "forbidden";
  return LOCAL_ADDRESSES.has(address) ? "local" : "public";
}

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
