import { client as schema } from "../../src/contract/clients.ts";
import { toRecord } from "../engine/to-record.ts";
import { addClient, listClients, type NewClient } from "../store/clients.ts";
import type { HandlersOf } from "./handler.ts";
import { renderPage } from "./page.ts";

const toClient = (client: NewClient) => toRecord(schema, client);

export const clients = {
  create({ caller, body }, { store, random, clock }) {
    const { name, importerNumber = null, contactEmail = null, reference = null } = body;
    const fields = { name, importerNumber, contactEmail, reference };
    const client = { id: random.uuid("client"), ...fields, createdAt: clock.now() };
    addClient(store, caller, client);
    return { json: toClient(client) };
  },

  list({ caller, query }, { store }) {
    return renderPage("clients", query, (page) => listClients(store, caller, page), toClient);
  },
} satisfies HandlersOf<"clients">;
