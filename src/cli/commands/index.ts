import type { AnyCommand } from "../framework/command.ts";
import { command } from "../framework/command.ts";
import { buildCommandTree, findNamed, type Noun } from "../framework/command-tree.ts";
import { api } from "./api/api.ts";
import { createCapabilitiesCommand } from "./capabilities.ts";
import { completion } from "./completion.ts";
import { conformanceCommands } from "./conformance/conformance.ts";
import { doctor } from "./doctor.ts";
import { examples } from "./examples/examples.ts";
import { help } from "./help.ts";
import { historyCommands } from "./history/history.ts";

const demo = command({
  name: "demo",
  prints: "Demo",
  summary: "run a complete example on a temporary sandbox, in a few seconds",
  output: "nothing",
  examples: ["claims demo", "claims demo --json | jq .report.totals", "claims demo --json | jq .webhook"],
  run: async (context, call) => (await import("./demo/run.ts")).runDemo(context, call),
});

interface LoadableNoun<Name extends string> extends Noun<Name> {
  /** Loads at least the command of a verb, and without one, all commands of the noun. */
  readonly load: (verb?: string) => Promise<{ readonly commands: readonly AnyCommand[] }>;
}

const nouns = <const Name extends string>(list: readonly LoadableNoun<Name>[]) => list;

/** The nouns, in the order of `claims --help`. */
export const NOUNS = nouns([
  { name: "auth", summary: "store, show and remove credentials", load: () => import("./auth/index.ts") },
  {
    name: "profiles",
    alias: "profile",
    summary: "manage services by name: base URL, environment and credential",
    load: () => import("./profiles/index.ts"),
  },
  {
    name: "diligence",
    summary: "submit entry files and read the results",
    // It sends nothing, and the code of the verbs that do takes a tenth of its time.
    load: async (verb) =>
      verb === "check"
        ? { commands: [(await import("./diligence/check.ts")).check] }
        : import("./diligence/index.ts"),
  },
  {
    name: "webhooks",
    alias: "webhook",
    summary: "register endpoints, receive and follow deliveries, and explain failed verification",
    load: () => import("./webhooks/index.ts"),
  },
  {
    name: "clients",
    alias: "client",
    summary: "list and create importers",
    load: () => import("./clients/index.ts"),
  },
  {
    name: "claims",
    alias: "claim",
    summary: "list and create claims, each for a client and a diligence job",
    load: () => import("./claims/index.ts"),
  },
  {
    name: "offers",
    alias: "offer",
    summary: "list and create financing offers on claims",
    load: () => import("./offers/index.ts"),
  },
  {
    name: "litigation",
    summary: "enroll claims in litigation",
    load: () => import("./litigation/enroll.ts"),
  },
  {
    name: "revenue",
    summary: "show revenue by entry and in total",
    load: () => import("./revenue/index.ts"),
  },
  {
    name: "scans",
    alias: "scan",
    summary: "create portfolio scans and compare them",
    load: () => import("./scans/index.ts"),
  },
  {
    name: "orgs",
    alias: "org",
    summary: "show and onboard partner organizations",
    load: () => import("./orgs/index.ts"),
  },
  {
    name: "notifications",
    alias: "notification",
    summary: "request notifications",
    load: () => import("./notifications/create.ts"),
  },
  {
    name: "aliases",
    alias: "alias",
    summary: "list the broker aliases, audit their use, set their sunset dates",
    load: () => import("./aliases/index.ts"),
  },
  {
    name: "contract",
    summary: "pin the service's contract, and check it before a cutover",
    load: () => import("./contract/index.ts"),
  },
  {
    name: "mapping",
    summary: "learn and check where a service that differs keeps things",
    load: () => import("./mapping/index.ts"),
  },
  {
    name: "sandbox",
    summary: "run the service on this machine",
    groups: {
      clock: "show, advance and freeze the clock of a sandbox",
      snapshot: "save and load the state of a sandbox",
      credentials: "rotate the credentials of a sandbox",
      faults: "make requests to a sandbox fail",
    },
    load: () => import("./sandbox/index.ts"),
  },
]);

type NounName = (typeof NOUNS)[number]["name"];

/** The loaded commands by noun; `""` is for the commands without a noun. */
export type Commands = Readonly<Partial<Record<NounName | "", readonly AnyCommand[]>>>;

const loadTree = async () => buildCommandTree(NOUNS, await loadAllCommands());

const STANDALONE: readonly AnyCommand[] = [
  api,
  ...historyCommands,
  ...conformanceCommands,
  demo,
  examples,
  doctor,
  completion,
  createCapabilitiesCommand(loadTree),
  help,
];

/** The commands without a noun, and those of the noun in a command line, also after `help`. */
export async function loadCommandsFor(words: readonly string[]): Promise<Commands> {
  const [first, verb] = words[0] === "help" ? words.slice(1) : words;
  const noun = findNamed(NOUNS, first);
  return { "": STANDALONE, ...(noun && { [noun.name]: (await noun.load(verb)).commands }) };
}

export async function loadAllCommands(): Promise<Required<Commands>> {
  const loaded = await Promise.all(
    NOUNS.map(async ({ name, load }) => [name, (await load()).commands] as const),
  );
  return { "": STANDALONE, ...Object.fromEntries(loaded) } as Required<Commands>;
}
