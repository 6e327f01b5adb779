import type { Context } from "../../context.ts";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** An opener that has not failed by then may be the browser itself, which ends when the user closes it. */
const OPENER_TIMEOUT_MS = 2_000;

/** Opens a URL in the user's browser; returns why that failed, or null. */
export async function openBrowser(context: Context, url: string): Promise<string | null> {
  const [command, ...args] = OPENERS[context.platform] ?? ["xdg-open"];
  // Silent: what a browser prints does not belong to our output, and Ctrl-C here does not end it.
  const opener = context.start({ command, args: [...args, url], env: context.env, mode: { kind: "silent" } });
  opener.unref();
  const waiting = new AbortController();
  const ended = opener.ended.then(
    (end) => ("code" in end && end.code === 0 ? null : `${command} failed`),
    () => `${command} is not installed`,
  );
  const timeout = context.sleep(OPENER_TIMEOUT_MS, waiting.signal).then(
    () => null,
    () => null,
  );
  const failure = await Promise.race([ended, timeout]);
  waiting.abort();
  return failure;
}
