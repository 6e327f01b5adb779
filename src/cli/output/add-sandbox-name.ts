/** Besides those of record nouns. Most runs do not load their declarations; a test compares the two. */
const COMMANDS_WITH_NAME = [
  "(?:api|doctor)",
  "auth (?:status|token)",
  "contract (?:check|diff|fetch|hash|pin)",
  "diligence (?:batch|dataset|deadlines|pull|report|resume|status|submit|wait)",
  "mapping (?:check|learn)",
  "sandbox (?:clock|credentials|snapshot) [a-z]+",
  "sandbox faults (?:add|clear|list)",
  "sandbox requests(?: show)?",
  "sandbox (?:agenda|down|emit|env|inspect|reset|status|up|wait)",
  "webhooks deliveries(?: (?:resend|show))?",
  "webhooks (?:create|list|listen|test|verify)",
] as const;

/** A command that a message names is for the sandbox of the user's own command. */
export function createSandboxNamer(recordNouns: readonly string[], name: string): (text: string) => string {
  const words = [`(?:${recordNouns.join("|")}) [a-z]+`, ...COMMANDS_WITH_NAME].join("|");
  const pattern = new RegExp(`\\bclaims (?:${words})(?![\\w-]| --sandbox-name)`, "g");
  return (text) => text.replace(pattern, (command) => `${command} --sandbox-name ${name}`);
}
