import { isRecord } from "../../../domain/json.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { toRecordCard } from "../../output/record-card.ts";
import { idOf } from "../../records/paged-list.ts";

export const get = command({
  name: "get",
  summary: "show a partner organization",
  remote: "reads",
  output: "record",
  arguments: [{ name: "org", help: "its id" }],
  options: {},
  examples: ["claims orgs get juniper-row", "claims orgs get juniper-row --json | jq -r .contactEmail"],
  async run(context, call) {
    const { client, operations } = await openService(context, call);
    const { org } = call.args;
    const answer = await client.send(operations.orgs.get, { params: { partnerOrgId: org } });
    const told = parseJsonResponse(answer, `partner organization ${org}`);
    const record = isRecord(told) ? told : {};
    const blocks = [toRecordCard(record, `Partner organization ${org}`)];
    return { kind: "record", json: answer.body, id: idOf(record) ?? org, blocks };
  },
});
