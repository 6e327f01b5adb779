import type { SandboxCredentials } from "../options.ts";
import { addClient } from "../store/clients.ts";
import { addPartner, type Credentials } from "../store/credentials.ts";
import type { Store } from "../store/open.ts";
import type { RandomSource } from "./random.ts";

/** Fills a fresh store: two partners, the second one only so that the first can be tested against it (product.md §5). */
export function seed(store: Store, credentials: Credentials, random: RandomSource): SandboxCredentials {
  const secret = (prefix: string) => `${prefix}_${random.hex(prefix, 20)}`;
  const made: SandboxCredentials = {
    sandbox: {
      apiKey: secret("sk_sandbox"),
      clientId: secret("cl_sandbox"),
      clientSecret: secret("cs_sandbox"),
    },
    production: { apiKey: secret("sk_production") },
    otherPartner: { apiKey: secret("sk_sandbox") },
    unapproved: { clientId: secret("cl_sandbox"), clientSecret: secret("cs_sandbox") },
  };
  addPartner(store, 1);
  addPartner(store, 2);
  credentials.add(made.sandbox.apiKey, { partner: 1, environment: "sandbox" });
  credentials.add(made.production.apiKey, { partner: 1, environment: "production" });
  credentials.add(made.otherPartner.apiKey, { partner: 2, environment: "sandbox" });
  const { sandbox, unapproved } = made;
  addClient(store, { id: sandbox.clientId, secret: sandbox.clientSecret, partner: 1, approved: true });
  addClient(store, { id: unapproved.clientId, secret: unapproved.clientSecret, partner: 1, approved: false });
  return made;
}
