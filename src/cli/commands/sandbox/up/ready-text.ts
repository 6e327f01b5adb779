import type { SandboxLike } from "../../../../../sandbox/index.ts";
import { DEFAULT_SANDBOX, type Locator } from "../../../connection/locator.ts";

/** For the program that started the sandbox (product.md §5). */
export function readyLine(
  { url, pid, controlToken, credentials }: Locator,
  service: SandboxLike | null,
  instanceId: string,
): string {
  const { observedAt, isStale, notImitated } = service ?? {};
  const like = service && { observedAt, isStale, notImitated };
  return `${JSON.stringify({ event: "ready", url, pid, instanceId, controlToken, credentials, like })}\n`;
}

/** The first line of a log: the ready event without the secrets, which a log must not contain. */
export const startedLine = ({ url, pid }: Locator): string =>
  `${JSON.stringify({ event: "ready", url, pid })}\n`;

export function renderWelcome(
  { name, url, pid, credentials }: Locator,
  { isDetached = false, isFindable = true }: { readonly isDetached?: boolean; readonly isFindable?: boolean },
): string {
  if (!isFindable)
    return `Sandbox ready at ${url} (pid ${pid})\nIts credentials are in the ready line of \`claims sandbox up --json\`.\n`;
  const isDefault = name === DEFAULT_SANDBOX;
  const commands = [
    ...(isDefault ? [] : [[`export CLAIMS_SANDBOX_NAME=${name}`, "selects it for the commands of a shell"]]),
    [
      "claims diligence submit FILE --seller-name NAME",
      isDefault ? "uses this sandbox by default" : "uses it",
    ],
    ["claims sandbox env", "prints its credentials, as CLAIMS_* variables"],
    ["claims sandbox emit partner.test", "sends an event to the seeded endpoint"],
    ["claims sandbox sink", "shows what arrived there"],
    ["claims sandbox down", isDetached ? "stops it" : "stops it, as Ctrl-C does"],
  ];
  return [
    `Sandbox ready at ${url} (pid ${pid})`,
    "",
    `  webhook endpoint  ${credentials.webhook.endpointId}`,
    "",
    isDetached ? "It runs in the background." : "In another terminal:",
    ...commands.map(([line = "", effect]) => `  ${line.padEnd(50)}${effect}`),
    "",
  ].join("\n");
}

/** The option that other commands need to find a sandbox; empty for the default one. */
export const toNameFlag = (name: string): string =>
  name === DEFAULT_SANDBOX ? "" : ` --sandbox-name ${name}`;
