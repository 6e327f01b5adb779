import { addClient } from "../store/clients.ts";
import type { Store } from "../store/open.ts";
import type { RandomSource } from "./random.ts";
import type { Clock } from "./scheduler/clock.ts";

/** Parties that nobody has ever met; the last one is the seller of the golden files. */
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

/** What partner 1 already has in the sandbox. */
export function seedClients(store: Store, clock: Clock, random: RandomSource): void {
  const owner = { partner: 1, environment: "sandbox" } as const;
  for (const client of SEEDED_CLIENTS) {
    addClient(store, owner, { ...client, id: random.uuid("client"), createdAt: clock.now() });
  }
}
