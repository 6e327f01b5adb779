import type { ProxySettings } from "../../client/http/proxy.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The first set of variables that names a proxy wins. Lower-case names win, as in curl. */
export const readProxySettings = (...environments: readonly Variables[]): ProxySettings => {
  const find = (name: string) =>
    environments.map((env) => env[name.toLowerCase()] || env[name]).find(Boolean);
  return { http: find("HTTP_PROXY"), https: find("HTTPS_PROXY"), noProxy: find("NO_PROXY") };
};
