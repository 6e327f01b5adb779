import { EVENT_TYPES } from "../../src/domain/webhooks/event-types.ts";
import type { SandboxCredentials } from "../api/sandbox.ts";
import { addPartner, type Credentials } from "../store/credentials.ts";
import { addOAuthClient } from "../store/oauth-clients.ts";
import type { Store } from "../store/open.ts";
import type { RandomSource } from "./random.ts";
import type { Clock } from "./scheduler/clock.ts";
import { seedClients } from "./seeded-clients.ts";
import { seedOrganizations } from "./seeded-organizations.ts";
import { sinkPath } from "./sinks.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

interface SeedDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly apiKeys: Credentials;
  readonly random: RandomSource;
  readonly webhooks: Webhooks;
  /** Where the sandbox answers. */
  readonly url: string;
}

/** Fills a fresh store: two partners, the second one only so that the first can be tested against it (product.md §5). */
export function seed({ store, clock, apiKeys, random, webhooks, url }: SeedDependencies): SandboxCredentials {
  const secret = (prefix: string) => `${prefix}_${random.hex(prefix, 20)}`;
  const made = {
    sandbox: {
      apiKey: secret("sk_sandbox"),
      clientId: secret("cl_sandbox"),
      clientSecret: secret("cs_sandbox"),
    },
    production: { apiKey: secret("sk_production") },
    otherPartner: { apiKey: secret("sk_sandbox") },
    unapproved: { clientId: secret("cl_sandbox"), clientSecret: secret("cs_sandbox") },
  };
  apiKeys.add(made.sandbox.apiKey, { partner: 1, environment: "sandbox" });
  apiKeys.add(made.production.apiKey, { partner: 1, environment: "production" });
  apiKeys.add(made.otherPartner.apiKey, { partner: 2, environment: "sandbox" });
  const endpoint = store.transaction(() => {
    addPartner(store, 1);
    addPartner(store, 2);
    const { sandbox, unapproved } = made;
    addOAuthClient(store, { id: sandbox.clientId, secret: sandbox.clientSecret, partner: 1, approved: true });
    addOAuthClient(store, {
      id: unapproved.clientId,
      secret: unapproved.clientSecret,
      partner: 1,
      approved: false,
    });
    seedClients(store, clock, random);
    seedOrganizations(store, clock);
    return webhooks.register({
      partner: 1,
      label: "Sandbox sink",
      url: url + sinkPath("default"),
      subscribedEvents: EVENT_TYPES,
      environmentScope: "all",
    });
  });
  return { ...made, webhook: { endpointId: endpoint.id, signingSecret: endpoint.secret } };
}
