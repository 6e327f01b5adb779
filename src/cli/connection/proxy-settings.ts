import type { ProxySettings } from "../../client/http/proxy.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The proxies that the first of these environments names which names any; small letters win, as with curl. */
export const readProxySettings = (...environments: readonly Variables[]): ProxySettings => {
  const findVariable = (name: string) =>
    environments.map((env) => env[name.toLowerCase()] || env[name]).find(Boolean);
  return {
    http: findVariable("HTTP_PROXY"),
    https: findVariable("HTTPS_PROXY"),
    noProxy: findVariable("NO_PROXY"),
  };
};
