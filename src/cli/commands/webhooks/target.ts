import { usageError } from "../../../domain/errors.ts";
import { isLoopback } from "../../../domain/net.ts";

/** The URL of a receiver. Refuses a name and a password: other users of the machine could read them. */
export function parseTarget(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) {
    url.hash = "";
    return url.href;
  }
  throw usageError("option_invalid", "a target must be http(s)://host[:port]/path", {
    hint: "for example http://localhost:3000/hook; without user name and password",
  });
}

/** Refuses a target that is the listener itself. @throws ClaimsError `usage` */
export function refuseForwardLoop(targets: readonly string[], listener: string): void {
  const own = new URL(listener);
  const loop = targets
    .map((target) => new URL(target))
    .find((url) => isLoopback(url.hostname) && url.port === own.port);
  if (loop)
    throw usageError("option_invalid", `${loop.href} is this listener`, {
      hint: "give the URL of the app, or listen on another --port",
    });
}
