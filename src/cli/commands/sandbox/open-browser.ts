import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a URL in the user's browser; a failure is a warning, because the URL is printed too. */
export async function openBrowser(context: Context, url: string): Promise<void> {
  const [command, ...args] = OPENERS[context.platform] ?? ["xdg-open"];
  const { env } = context;
  const failure = await context
    .start({ command, args: [...args, url], env, mode: { kind: "aside" } })
    .ended.then(
      (end) => ("code" in end && end.code === 0 ? null : `${command} failed`),
      () => `${command} is not installed`,
    );
  if (failure !== null)
    printMessage(context, `warning: no browser was opened: ${failure}; open the URL yourself`);
}
