import { getCommand } from "../../records/record-commands.ts";

export const get = getCommand({
  summary: "show a partner organization",
  noun: "partner organization",
  operation: ({ orgs }) => orgs.get,
  hasAlias: false,
  argument: { name: "org", help: "organization id" },
  request: (partnerOrgId) => ({ params: { partnerOrgId } }),
  examples: ["claims orgs get juniper-row", "claims orgs get juniper-row --json | jq -r .contactEmail"],
});
