import { defineCreateCommand, defineGetCommand } from "../../records/record-commands.ts";

const get = defineGetCommand({
  summary: "show a partner organization",
  noun: "partner organization",
  operation: ({ orgs }) => orgs.get,
  argument: { name: "org", help: "organization id" },
  request: (partnerOrgId) => ({ params: { partnerOrgId } }),
  examples: ["claims orgs get juniper-row", "claims orgs get juniper-row --json | jq -r .contactEmail"],
});

const onboard = defineCreateCommand({
  name: "onboard",
  summary: "create or replace a partner organization under an id that you choose",
  noun: "partner organization",
  operation: ({ orgs }) => orgs.onboard,
  argument: { name: "org", help: "organization id" },
  params: (partnerOrgId) => ({ partnerOrgId }),
  fields: {
    name: { value: "name", help: "name of the organization" },
    contactName: { value: "name", help: "name of the contact" },
    contactEmail: { value: "address", help: "e-mail address of the contact" },
    country: { value: "country", field: "countryCode", help: "country code of two letters" },
  },
  examples: [
    "claims orgs onboard north-pier --name 'North Pier Claims' --contact-name 'Ida Voss' --contact-email ida@northpier.example --country US",
    "claims orgs onboard north-pier --input org.json",
  ],
});

export const commands = [get, onboard];
