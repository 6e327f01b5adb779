import { isIP } from "node:net";
import { createBlockList, isInNetwork, stripBrackets } from "../../domain/networks.ts";

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/**
 * Whether `NO_PROXY` lists a host, with curl's rules: `*`, a domain that includes its subdomains (with or without a leading
 * dot), an address, a network such as `10.0.0.0/8`; a domain or address may have a port.
 */
export function bypassesProxy(url: URL, list: string): boolean {
  const host = normalizeHost(url.hostname);
  const port = url.port || DEFAULT_PORTS[url.protocol];
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === "*") return true;
      if (entry.includes("/")) return isInSubnet(host, entry);
      const [, name = "", onlyPort = port] = /^(\[[^\]]*\]|[^:]+|[^[]*)(?::(\d+))?$/.exec(entry) ?? [];
      return onlyPort === port && matchesDomain(host, normalizeHost(name.replace(/^\*?\./, "")));
    });
}

const normalizeHost = (host: string): string => stripBrackets(host).replace(/\.$/, "");

const matchesDomain = (host: string, name: string): boolean =>
  name !== "" && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)));

function isInSubnet(host: string, subnet: string): boolean {
  try {
    return /\/\d+$/.test(subnet) && isInNetwork(host, createBlockList([subnet]));
  } catch {
    // An invalid address, or more bits than the address has.
    return false;
  }
}
