import { Buffer } from "node:buffer";
import { isIP } from "node:net";
import { usageError } from "../../domain/errors.ts";
import { isLoopback } from "../../domain/net.ts";
import { Networks, stripBrackets } from "../../domain/networks.ts";

/** The values of `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
export interface ProxySettings {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  readonly noProxy?: string | undefined;
}

export interface ProxyServer {
  readonly origin: string;
  /** Host and port, without name and password, for messages. */
  readonly host: string;
  readonly variable: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The proxy for a service; null if none is set. This machine itself needs none. */
export function findProxy(service: URL, settings: ProxySettings): ProxyServer | null {
  const isSecure = service.protocol === "https:";
  const setting = isSecure ? settings.https : settings.http;
  if (!setting || isLoopback(service.hostname) || matchesNoProxy(service, settings.noProxy ?? ""))
    return null;
  return parseProxy(setting, isSecure ? "HTTPS_PROXY" : "HTTP_PROXY");
}

function parseProxy(setting: string, variable: string): ProxyServer {
  try {
    const url = new URL(setting.includes("://") ? setting : `http://${setting}`);
    if (!/^https?:$/.test(url.protocol)) throw new Error(`the protocol is ${url.protocol}`);
    const login = Buffer.from(decodeURIComponent(`${url.username}:${url.password}`)).toString("base64");
    const headers = url.username === "" ? {} : { "proxy-authorization": `Basic ${login}` };
    return { origin: url.origin, host: url.host, variable, headers };
  } catch {
    // The cause may quote the password.
    throw usageError("option_invalid", `${variable} is not the URL of an http or https proxy`, {
      option: variable,
      hint: "write it as http://host:port; in a name or password, write % as %25",
    });
  }
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Whether `NO_PROXY` lists a host, with curl's rules: `*`, a domain with its subdomains, an address, a network; a port. */
export function matchesNoProxy(url: URL, noProxy: string): boolean {
  const host = normalizeHost(url.hostname);
  const port = url.port || DEFAULT_PORTS[url.protocol];
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === "*") return true;
      if (entry.includes("/")) return isInSubnet(host, entry);
      // host, host:80, ::1, [::1] and [::1]:80
      const listed = isIP(entry) === 6 ? `[${entry}]` : entry;
      const [, name = "", listedPort = port] = /^(\[[^\]]*\]|[^:[]*)(?::(\d+))?$/.exec(listed) ?? [];
      return listedPort === port && matchesDomain(host, normalizeHost(name.replace(/^\*?\./, "")));
    });
}

const normalizeHost = (host: string): string => stripBrackets(host).replace(/\.$/, "");

const matchesDomain = (host: string, name: string): boolean =>
  name !== "" && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)));

function isInSubnet(host: string, subnet: string): boolean {
  try {
    return /\/\d+$/.test(subnet) && new Networks([subnet]).has(host);
  } catch {
    // An invalid address, or more bits than the address has.
    return false;
  }
}
