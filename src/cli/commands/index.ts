import type { AnyCommand } from "../framework/command.ts";
import { findNoun, type Noun } from "../framework/command-tree.ts";
import { api } from "./api/api.ts";
import { completion } from "./completion.ts";
import { demo } from "./demo/demo.ts";
import { doctor } from "./doctor.ts";
import { help } from "./help.ts";

/** Only infers the names. */
const nouns = <const N extends string>(list: readonly Noun<N>[]): readonly Noun<N>[] => list;

/** The nouns, in the order of `claims --help`. */
export const NOUNS = nouns([
  { name: "auth", summary: "store a credential, show which is in use, forget it" },
  { name: "profiles", alias: "profile", summary: "services by name: base URL, environment and credential" },
  { name: "diligence", summary: "submit entry files and read what became of them" },
  {
    name: "webhooks",
    alias: "webhook",
    summary: "register endpoints, receive and follow deliveries, and find out why one does not verify",
  },
  { name: "clients", alias: "client", summary: "the importers that claims are made for" },
  { name: "claims", alias: "claim", summary: "claims, each made from a diligence job for a client" },
  { name: "offers", alias: "offer", summary: "financing offers on claims" },
  { name: "litigation", summary: "enroll claims in litigation" },
  { name: "revenue", summary: "what was earned: entry by entry, and summed up" },
  { name: "scans", alias: "scan", summary: "portfolio scans: what there is, and what is not as it was" },
  { name: "orgs", alias: "org", summary: "partner organizations: show one, onboard one" },
  { name: "notifications", alias: "notification", summary: "request that somebody be notified" },
  {
    name: "aliases",
    alias: "alias",
    summary: "the broker aliases: which there are, which were used, until when",
  },
  { name: "contract", summary: "hold the service's contract against what this client was made for" },
  {
    name: "sandbox",
    summary: "run the service on this machine",
    groups: {
      clock: "show a sandbox's clock, move it on, stop it",
      snapshot: "save the state of a sandbox, and go back to it",
      endpoints: "list a sandbox's webhook endpoints, and set their status",
      credentials: "change a sandbox's credentials",
      faults: "let requests to a sandbox fail",
    },
  },
]);

type NounName = (typeof NOUNS)[number]["name"];

/** Commands by noun, as far as they are loaded; `""` are the verbs that stand alone. */
export type Commands = Readonly<Partial<Record<NounName | "", readonly AnyCommand[]>>>;

/** Files of their own: whoever runs one command does not wait for those of every other noun. */
const COMMAND_MODULES: Readonly<
  Record<NounName, () => Promise<{ readonly commands: readonly AnyCommand[] }>>
> = {
  auth: () => import("./auth/index.ts"),
  profiles: () => import("./profiles/index.ts"),
  diligence: () => import("./diligence/index.ts"),
  webhooks: () => import("./webhooks/index.ts"),
  clients: () => import("./clients/index.ts"),
  claims: () => import("./claims/index.ts"),
  offers: () => import("./offers/index.ts"),
  litigation: () => import("./litigation/index.ts"),
  revenue: () => import("./revenue/index.ts"),
  scans: () => import("./scans/index.ts"),
  orgs: () => import("./orgs/index.ts"),
  notifications: () => import("./notifications/index.ts"),
  aliases: () => import("./aliases/index.ts"),
  contract: () => import("./contract/index.ts"),
  sandbox: () => import("./sandbox/index.ts"),
};

const STANDALONE: readonly AnyCommand[] = [api, demo, doctor, completion, help];

/** The verbs that stand alone, and the commands of the noun that a line names, also behind `help`. */
export async function loadCommandsFor(words: readonly string[]): Promise<Commands> {
  const noun = findNoun({ nouns: NOUNS }, words[0] === "help" ? words[1] : words[0]);
  return { "": STANDALONE, ...(noun && { [noun.name]: (await COMMAND_MODULES[noun.name]()).commands }) };
}

/** Every command there is. */
export async function loadAllCommands(): Promise<Required<Commands>> {
  const loaded = await Promise.all(
    NOUNS.map(async ({ name }) => [name, (await COMMAND_MODULES[name]()).commands] as const),
  );
  return { "": STANDALONE, ...Object.fromEntries(loaded) } as Required<Commands>;
}
