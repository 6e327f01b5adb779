import { DEFAULT_SANDBOX, type Locator } from "../../../connection/locator.ts";

/** One line for a program (product.md §5), a page for a person. */
export const renderReady = (
  locator: Locator,
  { json, detached }: { json: boolean; detached: boolean },
): string => (json ? readyLine(locator) : renderWelcome(locator, detached));

const readyLine = ({ url, pid, controlToken, credentials }: Locator): string =>
  `${JSON.stringify({ event: "ready", url, pid, controlToken, credentials })}\n`;

function renderWelcome(
  { name, url, pid, credentials: { sandbox, production, webhook } }: Locator,
  detached: boolean,
): string {
  const named = name === DEFAULT_SANDBOX ? "" : ` --name ${name}`;
  const facts = [
    ["API key, sandbox", sandbox.apiKey],
    ["API key, production", production.apiKey],
    ["OAuth client", sandbox.clientId],
    ["OAuth client secret", sandbox.clientSecret],
    ["webhook endpoint", webhook.endpointId],
    ["its signing secret", webhook.signingSecret],
  ] as const;
  const commands = [
    ["claims diligence submit FILE --seller-name NAME", "uses this sandbox by default"],
    [`claims sandbox emit partner.test${named}`, "sends an event to that endpoint"],
    [`claims sandbox sink${named}`, "shows what arrived there"],
    [`eval "$(claims sandbox env${named})"`, "sets CLAIMS_* for programs"],
    [`claims sandbox down${named}`, detached ? "stops it" : "stops it, as Ctrl-C does"],
  ] as const;
  return [
    `Sandbox ready at ${url} (pid ${pid})`,
    "",
    ...facts.map(([label, value]) => `  ${label.padEnd(22)}${value}`),
    "",
    detached ? "It runs in the background." : "In another terminal:",
    // API commands find only the default sandbox.
    ...commands.slice(named === "" ? 0 : 1).map(([line, effect]) => `  ${line.padEnd(50)}${effect}`),
    "",
  ].join("\n");
}
