import type { ClientRecord } from "../../src/contract/clients.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import { addClient, listClients, type NewClient } from "../store/clients.ts";
import type { HandlersOf } from "./handler.ts";
import { readPageRequest, renderPage } from "./page.ts";

export const clients = {
  create({ caller, body }, { store, random, clock }) {
    const { name, importerNumber = null, contactEmail = null, reference = null } = body;
    const client = { name, importerNumber, contactEmail, reference };
    const added = { id: random.uuid("client"), ...client, createdAt: clock.now() };
    addClient(store, caller, added);
    return { json: toClient(added) };
  },

  list({ caller, query }, { store }) {
    const found = listClients(store, caller, readPageRequest("clients", query));
    return renderPage("clients", query, found, toClient);
  },
} satisfies HandlersOf<"clients">;

const toClient = (client: NewClient): ClientRecord => ({
  id: client.id,
  name: client.name,
  importerNumber: client.importerNumber,
  contactEmail: client.contactEmail,
  reference: client.reference,
  createdAt: formatTime(client.createdAt),
});
