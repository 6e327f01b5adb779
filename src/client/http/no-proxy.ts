import { isIP } from "node:net";
import { createBlockList, isInNetwork } from "../../domain/net.ts";

const DEFAULT_PORT: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/**
 * Whether `NO_PROXY` lists a host, read as curl reads it: `*`, a name that stands for itself and all below it with or
 * without a dot before it, an address, a block of addresses as in `10.0.0.0/8`; a name or address with or without a port.
 */
export function bypassesProxy(url: URL, list: string): boolean {
  const host = normalizeHost(url.hostname);
  const port = url.port || DEFAULT_PORT[url.protocol];
  const entries = list.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    if (entry === "*") return true;
    if (entry.includes("/")) return isInBlock(host, entry);
    const [, name = "", onlyPort = port] = /^(\[[^\]]*\]|[^:]+|[^[]*)(?::(\d+))?$/.exec(entry) ?? [];
    return onlyPort === port && matchesDomain(host, normalizeHost(name.replace(/^\*?\./, "")));
  });
}

const normalizeHost = (host: string): string => host.replace(/^\[|\]$/g, "").replace(/\.$/, "");

const matchesDomain = (host: string, name: string): boolean =>
  name !== "" && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)));

function isInBlock(host: string, block: string): boolean {
  try {
    return /\/\d+$/.test(block) && isInNetwork(host, createBlockList([block]));
  } catch {
    // Not a network, or more bits than the address has.
    return false;
  }
}
