import { Buffer } from "node:buffer";
import { ClaimsError } from "../../domain/errors.ts";
import { isLoopback } from "../../domain/net.ts";
import { bypassesProxy } from "./no-proxy.ts";

/** Proxies by the scheme of the service, as `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name them. */
export interface ProxySettings {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  readonly noProxy?: string | undefined;
}

/** A proxy as a setting names it. */
export interface ProxyServer {
  readonly origin: string;
  /** As errors name it: host and port, never name and password. */
  readonly host: string;
  /** The variable that a person would look at. */
  readonly variable: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The proxy that the address of a service asks for; null where none does. What is on this machine is behind none. */
export function findProxy(service: URL, settings: ProxySettings): ProxyServer | null {
  const isSecure = service.protocol === "https:";
  const setting = isSecure ? settings.https : settings.http;
  if (!setting || isLoopback(service.hostname) || bypassesProxy(service, settings.noProxy ?? "")) return null;
  return parseProxy(setting, isSecure ? "HTTPS_PROXY" : "HTTP_PROXY");
}

function parseProxy(setting: string, variable: string): ProxyServer {
  const text = setting.includes("://") ? setting : `http://${setting}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  const login = url && decodeLogin(`${url.username}:${url.password}`);
  if (!url || login === null || !/^https?:$/.test(url.protocol)) {
    throw new ClaimsError("usage", "invalid_proxy", `${variable} names no http or https proxy`, {
      hint: "write it as http://host:port; in a name or password, write % as %25",
    });
  }
  const basic = `Basic ${Buffer.from(login).toString("base64")}`;
  const headers = url.username === "" ? {} : { "proxy-authorization": basic };
  return { origin: url.origin, host: url.host, variable, headers };
}

/** Name and password as they were before they became part of a URL; null where they never can have been. */
function decodeLogin(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
