import { command } from "../../framework/command.ts";
import { createRecord, createRecordOptions } from "../../records/create-record.ts";
import { buildRequestBody } from "../../records/request-body.ts";

export const onboard = command({
  name: "onboard",
  summary: "onboard a partner organization under an id of your choice, or write it anew",
  remote: "writes",
  output: "record",
  arguments: [{ name: "org", help: "its id" }],
  options: {
    name: { value: "name", help: "what it is called" },
    contactName: { value: "name", help: "who is asked there" },
    contactEmail: { value: "address", help: "whom to write to" },
    country: { value: "country", help: "where it is, in two letters" },
    ...createRecordOptions,
  },
  examples: [
    "claims orgs onboard north-pier --name 'North Pier Claims' --contact-name 'Ida Voss' --contact-email ida@northpier.example --country US",
    "claims orgs onboard north-pier --input org.json --via-alias",
  ],
  async run(context, call) {
    const { args, options } = call;
    const { name, contactName, contactEmail, country: countryCode } = options;
    return createRecord(context, call, {
      what: "partner organization",
      operation: ({ orgs }) => orgs.onboard,
      params: { partnerOrgId: args.org },
      json: await buildRequestBody(context, { name, contactName, contactEmail, countryCode }, options),
    });
  },
});
