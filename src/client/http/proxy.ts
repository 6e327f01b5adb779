import { Buffer } from "node:buffer";
import { usageError } from "../../domain/errors.ts";
import { isLoopback } from "../../domain/net.ts";
import { bypassesProxy } from "./no-proxy.ts";

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
  if (!setting || isLoopback(service.hostname) || bypassesProxy(service, settings.noProxy ?? "")) return null;
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
    throw usageError("invalid_proxy", `${variable} is not the URL of an http or https proxy`, {
      hint: "write it as http://host:port; in a name or password, write % as %25",
    });
  }
}
