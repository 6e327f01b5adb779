import { EVENT_TYPES } from "../../src/domain/webhooks/event-types.ts";
import type { SandboxCredentials } from "../api/sandbox.ts";
import { CLIENTS } from "../store/clients.ts";
import { type Credentials, digestSecret } from "../store/credentials.ts";
import { OAUTH_CLIENTS } from "../store/oauth-clients.ts";
import { ORGANIZATIONS } from "../store/organizations.ts";
import { PARTNERS } from "../store/schema.ts";
import type { EngineCore } from "./core.ts";
import { sinkPath } from "./sinks.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

/** The first partner's records in the sandbox. The companies are fictitious; the last client is the golden files' seller. */
const SEEDED_CLIENTS = [
  {
    name: "Copper Kettle Housewares, Inc.",
    importerNumber: "45-6612038",
    contactEmail: "trade@copperkettle.example",
    reference: "CK-01",
  },
  {
    name: "Harbor & Pine Trading, LLC",
    importerNumber: "12-3456789",
    contactEmail: "imports@harborpine.example",
    reference: "HP-01",
  },
] as const;

const SEEDED_ORGANIZATION = {
  id: "juniper-row",
  name: "Juniper Row Claim Partners, LLC",
  contactName: "Maren Holloway",
  contactEmail: "desk@juniperrow.example",
  countryCode: "US",
} as const;

interface SeedDependencies extends Pick<EngineCore, "store" | "clock" | "random"> {
  readonly apiKeys: Credentials;
  readonly webhooks: Webhooks;
  readonly url: string;
}

/** Fills an empty store. The second partner exists only for tests of what partners see of each other (product.md §5). */
export function seedStore({
  store,
  clock,
  apiKeys,
  random,
  webhooks,
  url,
}: SeedDependencies): SandboxCredentials {
  const secret = (prefix: string) => `${prefix}_${random.hex(prefix, 20)}`;
  const credentials = {
    sandbox: {
      apiKey: secret("sk_sandbox"),
      clientId: secret("cl_sandbox"),
      clientSecret: secret("cs_sandbox"),
    },
    production: { apiKey: secret("sk_production") },
    otherPartner: { apiKey: secret("sk_sandbox") },
    unapproved: { clientId: secret("cl_sandbox"), clientSecret: secret("cs_sandbox") },
  };
  const { sandbox, production, otherPartner, unapproved } = credentials;
  const owner = { partner: 1, environment: "sandbox" } as const;
  apiKeys.add(sandbox.apiKey, owner);
  apiKeys.add(production.apiKey, { partner: 1, environment: "production" });
  apiKeys.add(otherPartner.apiKey, { partner: 2, environment: "sandbox" });
  const endpoint = store.transaction(() => {
    PARTNERS.insert(store, { id: 1 });
    PARTNERS.insert(store, { id: 2 });
    for (const [client, approved] of [
      [sandbox, true],
      [unapproved, false],
    ] as const) {
      const secretDigest = digestSecret(client.clientSecret);
      OAUTH_CLIENTS.insert(store, { id: client.clientId, secretDigest, partner: 1, approved });
    }
    for (const client of SEEDED_CLIENTS) {
      CLIENTS.insert(store, { ...client, ...owner, id: random.uuid("client"), createdAt: clock.now() });
    }
    const times = { onboardedAt: clock.now(), updatedAt: clock.now() };
    ORGANIZATIONS.insert(store, { ...SEEDED_ORGANIZATION, ...owner, ...times });
    return webhooks.register({
      partner: 1,
      label: "Sandbox sink",
      url: url + sinkPath("default"),
      subscribedEvents: EVENT_TYPES,
      environmentScope: "all",
    });
  });
  return { ...credentials, webhook: { endpointId: endpoint.id, signingSecret: endpoint.secret } };
}
