import type { DeliveryDetails } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { openService, type Service } from "../../../connection/service.ts";
import { command } from "../../../framework/command.ts";
import type { Output } from "../../../output/output.ts";
import { toRecordCard } from "../../../output/record-card.ts";
import { idOf, readItems } from "../../../records/paged-list.ts";
import { sendControl } from "../../../sandbox-control/control.ts";
import { deliveryPath, findDeliveryControl } from "./control.ts";
import { DELIVERIES, listDeliveries } from "./delivery-list.ts";
import { renderDetails } from "./details-view.ts";

export const deliveriesShow = command({
  name: "deliveries show",
  summary: "show a delivery; of a local sandbox every attempt, its headers, the body and the responses, too",
  remote: "reads",
  output: "record",
  arguments: [{ name: "delivery", help: "its id, as the list shows it" }],
  options: {},
  examples: [
    "claims webhooks deliveries show 9c2a…",
    "claims webhooks deliveries show 9c2a… --json | jq '.attempts[].responseStatus'",
  ],
  async run(context, call) {
    const { delivery: id } = call.args;
    const service = await openService(context, call);
    const control = await findDeliveryControl(context, call, service);
    if (!control) return showListRecord(service, id);
    const answer = await sendControl(context, control, "GET", deliveryPath(id));
    const detail = parseJsonResponse(answer, `delivery ${id}`) as DeliveryDetails;
    return { kind: "record", json: answer.body, id, blocks: renderDetails(detail) };
  },
});

/** What the documented routes tell: the list has the record, and no route has more. */
async function showListRecord(service: Service, id: string): Promise<Output> {
  for await (const item of readItems(listDeliveries(service, {}), DELIVERIES)) {
    if (idOf(item) !== id) continue;
    const lines = [
      "This is all that the service tells of it: attempts, headers, body and responses have no route (interface §2, §4).",
    ];
    return {
      kind: "record",
      json: item,
      id,
      blocks: [toRecordCard(item, `Delivery ${id}`), { kind: "paragraph", lines, isAdvice: true }],
    };
  }
  throw new ClaimsError("not_found", "delivery_not_found", `there is no delivery ${id} for this credential`, {
    hint: "`claims webhooks deliveries` shows those there are",
  });
}
