import type { OPERATIONS } from "../../src/contract/operations/operations.ts";
import { claims } from "./claims.ts";
import { clients } from "./clients.ts";
import { diligence } from "./diligence.ts";
import type { HandlersOf } from "./handler.ts";
import { litigation } from "./litigation.ts";
import { notifications } from "./notifications.ts";
import { oauth } from "./oauth.ts";
import { offers } from "./offers.ts";
import { orgs } from "./orgs.ts";
import { revenue } from "./revenue.ts";
import { scans } from "./scans.ts";
import { webhooks } from "./webhooks.ts";

const document = {
  openapi(_, { service }) {
    const { canonicalJson: canonical, hash } = service.getContract();
    return { text: canonical, headers: { ETag: `"${hash}"` } };
  },
} satisfies HandlersOf<"document">;

export const HANDLERS = {
  webhooks,
  oauth,
  document,
  diligence,
  clients,
  claims,
  offers,
  litigation,
  revenue,
  notifications,
  orgs,
  scans,
} satisfies {
  [Noun in keyof typeof OPERATIONS]: HandlersOf<Noun>;
};
