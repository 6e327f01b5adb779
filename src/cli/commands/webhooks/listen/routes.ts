import { usageError } from "../../../../domain/errors.ts";
import { isLoopback } from "../../../../domain/net.ts";

export interface ForwardRoute {
  /** `*` stands for any characters, full stops included. */
  readonly pattern: string;
  readonly url: string;
}

export const parseTarget = (text: string): ForwardRoute => ({ pattern: "*", url: parseTargetUrl(text) });

/** `partner.*=http://localhost:3000/hook` @throws ClaimsError `usage` */
export function parseRoute(text: string): ForwardRoute {
  const [, pattern, url = ""] = /^([\w.*-]+)=(.+)$/s.exec(text) ?? [];
  if (pattern !== undefined) return { pattern, url: parseTargetUrl(url) };
  throw usageError("invalid_route", `"${text}" is not a route`, {
    hint: "write the event and the URL, as in 'partner.*=http://localhost:3000/hook'",
  });
}

/** Refuses a name and a password: other users of the machine could read them. */
function parseTargetUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) {
    url.hash = "";
    return url.href;
  }
  throw usageError("invalid_target", "a target must be http(s)://host[:port]/path", {
    hint: "for example http://localhost:3000/hook; without user name and password",
  });
}

export function matchesRoute({ pattern }: ForwardRoute, event: string | null): boolean {
  const form = pattern.split("*").map((part) => part.replaceAll(".", "\\."));
  return new RegExp(`^${form.join(".*")}$`, "s").test(event ?? "");
}

/** Refuses a target that is the listener itself. @throws ClaimsError `usage` */
export function refuseForwardLoop(routes: readonly ForwardRoute[], listener: string): void {
  const own = new URL(listener);
  const loop = routes
    .map(({ url }) => new URL(url))
    .find((url) => isLoopback(url.hostname) && url.port === own.port);
  if (loop)
    throw usageError("forward_loop", `${loop.href} is this listener`, {
      hint: "give the URL of the app, or listen on another --port",
    });
}
