import type { ProxySettings } from "../client/proxy.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The proxies that the first of these environments names which names any; small letters win, as with curl. */
export const proxySettings = (...environments: readonly Variables[]): ProxySettings => {
  const first = (name: string) =>
    environments.map((env) => env[name.toLowerCase()] || env[name]).find(Boolean);
  return { http: first("HTTP_PROXY"), https: first("HTTPS_PROXY"), noProxy: first("NO_PROXY") };
};
