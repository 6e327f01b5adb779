import { ClaimsError } from "../../../../domain/errors.ts";
import { isLoopback } from "../../../../domain/net.ts";

/** Where deliveries of some events go on to. */
export interface ForwardRoute {
  /** `*` stands for any characters, full stops included. */
  readonly pattern: string;
  readonly url: string;
}

/** A target of every event. @throws ClaimsError `usage` */
export const parseTarget = (text: string): ForwardRoute => ({ pattern: "*", url: parseTargetUrl(text) });

/** `partner.*=http://localhost:3000/hook` @throws ClaimsError `usage` */
export function parseRoute(text: string): ForwardRoute {
  const [, pattern, url = ""] = /^([\w.*-]+)=(.+)$/s.exec(text) ?? [];
  if (pattern !== undefined) return { pattern, url: parseTargetUrl(url) };
  throw new ClaimsError("usage", "invalid_route", `"${text}" is no route`, {
    hint: "write the event and the URL as in 'partner.*=http://localhost:3000/hook'",
  });
}

/** A name and a password in it would be seen by others on the machine. */
function parseTargetUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) {
    url.hash = "";
    return url.href;
  }
  throw new ClaimsError("usage", "invalid_target", "a target must be http(s)://host[:port]/path", {
    hint: "for example http://localhost:3000/hook; without a name and a password",
  });
}

/** Whether the deliveries of an event take a route; one that names none takes those of every event. */
export function matchesRoute({ pattern }: ForwardRoute, event: string | null): boolean {
  const form = pattern.split("*").map((part) => part.replaceAll(".", "\\."));
  return new RegExp(`^${form.join(".*")}$`, "s").test(event ?? "");
}

/** A target that is the listener itself would hand every delivery to itself for ever. @throws ClaimsError `usage` */
export function refuseForwardLoop(routes: readonly ForwardRoute[], listener: string): void {
  const own = new URL(listener);
  const loop = routes
    .map(({ url }) => new URL(url))
    .find((url) => isLoopback(url.hostname) && url.port === own.port);
  if (loop)
    throw new ClaimsError("usage", "forwards_to_itself", `${loop.href} is this listener itself`, {
      hint: "name the URL of the app, or listen on another --port",
    });
}
