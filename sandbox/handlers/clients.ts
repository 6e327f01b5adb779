import { client as schema } from "../../src/contract/operations/clients.ts";
import { toRecord } from "../engine/to-record.ts";
import { CLIENTS } from "../store/clients.ts";
import type { HandlersOf } from "./handler.ts";
import { renderRows } from "./page.ts";

export const clients = {
  create({ caller, body }, { store, random, clock }) {
    const { name, importerNumber = null, contactEmail = null, reference = null } = body;
    const fields = { name, importerNumber, contactEmail, reference };
    const client = { id: random.uuid("client"), ...fields, createdAt: clock.now() };
    CLIENTS.insert(store, { ...caller, ...client });
    return { json: toRecord(schema, client) };
  },

  list: (input, engine) =>
    renderRows("clients", CLIENTS, input, (client) => toRecord(schema, client), engine),
} satisfies HandlersOf<"clients">;
