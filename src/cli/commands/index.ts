import type { AnyCommand } from "../command.ts";
import { groupCalled } from "../command-words.ts";
import { audit } from "./aliases/audit.ts";
import { list as aliasesList } from "./aliases/list.ts";
import { sunset } from "./aliases/sunset.ts";
import { api } from "./api.ts";
import { login } from "./auth/login.ts";
import { logout } from "./auth/logout.ts";
import { status as authStatus } from "./auth/status.ts";
import { token } from "./auth/token.ts";
import { create as claimsCreate } from "./claims/create.ts";
import { list as claimsList } from "./claims/list.ts";
import { status as claimsStatus } from "./claims/status.ts";
import { create as clientsCreate } from "./clients/create.ts";
import { list as clientsList } from "./clients/list.ts";
import { completion } from "./completion.ts";
import { assumptions } from "./contract/assumptions.ts";
import { check as contractCheck } from "./contract/check.ts";
import { diff } from "./contract/diff.ts";
import { fetch } from "./contract/fetch.ts";
import { hash } from "./contract/hash.ts";
import { pin } from "./contract/pin.ts";
import { demo } from "./demo.ts";
import { batch } from "./diligence/batch/batch.ts";
import { check } from "./diligence/check.ts";
import { dataset } from "./diligence/dataset.ts";
import { history } from "./diligence/history.ts";
import { pull } from "./diligence/pull.ts";
import { report } from "./diligence/report.ts";
import { resume } from "./diligence/resume.ts";
import { status } from "./diligence/status.ts";
import { submit } from "./diligence/submit.ts";
import { wait } from "./diligence/wait.ts";
import { doctor } from "./doctor.ts";
import { help } from "./help.ts";
import { enroll } from "./litigation/enroll.ts";
import { create as notificationsCreate } from "./notifications/create.ts";
import { create as offersCreate } from "./offers/create.ts";
import { list as offersList } from "./offers/list.ts";
import { get as orgsGet } from "./orgs/get.ts";
import { onboard } from "./orgs/onboard.ts";
import { list as profilesList } from "./profiles/list.ts";
import { remove } from "./profiles/remove.ts";
import { set } from "./profiles/set.ts";
import { show } from "./profiles/show.ts";
import { use } from "./profiles/use.ts";
import { dashboard } from "./revenue/dashboard.ts";
import { ledger } from "./revenue/ledger.ts";
import { agenda } from "./sandbox/agenda.ts";
import { clockAdvance } from "./sandbox/clock-advance.ts";
import { clockShow } from "./sandbox/clock-show.ts";
import { credentialsRotate } from "./sandbox/credentials-rotate.ts";
import { down } from "./sandbox/down.ts";
import { emit } from "./sandbox/emit.ts";
import { endpointsList as sandboxEndpoints } from "./sandbox/endpoints-list.ts";
import { endpointsDisable, endpointsEnable, endpointsRevoke } from "./sandbox/endpoints-status.ts";
import { env } from "./sandbox/env.ts";
import { exec } from "./sandbox/exec.ts";
import { sink } from "./sandbox/sink.ts";
import { status as sandboxStatus } from "./sandbox/status.ts";
import { up } from "./sandbox/up.ts";
import { wait as sandboxWait } from "./sandbox/wait.ts";
import { create as scansCreate } from "./scans/create.ts";
import { delta } from "./scans/delta.ts";
import { get as scansGet } from "./scans/get.ts";
import { summary as scansSummary } from "./scans/summary.ts";
import { create } from "./webhooks/create.ts";
import { deliveriesBody } from "./webhooks/deliveries/body.ts";
import { deliveriesResend } from "./webhooks/deliveries/resend.ts";
import { deliveriesShow } from "./webhooks/deliveries/show.ts";
import { deliveries } from "./webhooks/deliveries.ts";
import { fingerprint } from "./webhooks/fingerprint.ts";
import { list as endpoints } from "./webhooks/list.ts";
import { listen } from "./webhooks/listen.ts";
import { probe } from "./webhooks/probe.ts";
import { send } from "./webhooks/send.ts";
import { sign } from "./webhooks/sign.ts";
import { test } from "./webhooks/test.ts";
import { vectors } from "./webhooks/vectors.ts";
import { verify } from "./webhooks/verify.ts";

interface Noun<N extends string> {
  readonly name: N;
  /** Its singular, where it is a plural (product.md §3). */
  readonly alias?: string;
  readonly summary: string;
  /** What its groups are about: the first of two words of a command's name, where it is no command itself. */
  readonly groups?: Readonly<Record<string, string>>;
}

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
      clock: "show a sandbox's clock, and move it on",
      endpoints: "list a sandbox's webhook endpoints, and set their status",
      credentials: "change a sandbox's credentials",
    },
  },
]);

type NounName = (typeof NOUNS)[number]["name"];

/** The noun of that name or alias. */
export const nounCalled = (word: string | undefined): Noun<NounName> | undefined =>
  word === undefined ? undefined : NOUNS.find(({ name, alias }) => name === word || alias === word);

/** Every command, by noun; `""` are the verbs that stand alone. A command comes before those of which it is the group. */
export const COMMANDS: Readonly<Record<NounName | "", readonly AnyCommand[]>> = {
  auth: [login, authStatus, logout, token],
  profiles: [profilesList, use, show, set, remove],
  diligence: [submit, status, wait, report, dataset, resume, batch, history, check, pull],
  webhooks: [
    create,
    endpoints,
    deliveries,
    deliveriesShow,
    deliveriesBody,
    deliveriesResend,
    test,
    listen,
    send,
    probe,
    verify,
    sign,
    fingerprint,
    vectors,
  ],
  clients: [clientsList, clientsCreate],
  claims: [claimsList, claimsCreate, claimsStatus],
  offers: [offersList, offersCreate],
  litigation: [enroll],
  revenue: [ledger, dashboard],
  scans: [scansCreate, scansGet, scansSummary, delta],
  orgs: [orgsGet, onboard],
  notifications: [notificationsCreate],
  aliases: [aliasesList, audit, sunset],
  contract: [fetch, hash, pin, contractCheck, diff, assumptions],
  sandbox: [
    up,
    down,
    sandboxStatus,
    env,
    exec,
    clockShow,
    clockAdvance,
    agenda,
    emit,
    sink,
    sandboxWait,
    sandboxEndpoints,
    endpointsEnable,
    endpointsDisable,
    endpointsRevoke,
    credentialsRotate,
  ],
  "": [api, demo, doctor, completion, help],
};

/** The words for the noun, and for the group, that a line begins with; none where it begins with neither. */
export function groupNamed([first, second]: readonly string[]): readonly string[] {
  const noun = nounCalled(first);
  if (!noun) return [];
  return second && groupCalled(COMMANDS[noun.name], second).length > 0 ? [noun.name, second] : [noun.name];
}
