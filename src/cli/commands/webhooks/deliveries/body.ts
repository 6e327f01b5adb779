import { openService } from "../../../connection/service.ts";
import { readId } from "../../../files/input-file.ts";
import { command } from "../../../framework/command.ts";
import { DELIVERY_ID_HINT, findDeliveryControl, sandboxOnlyError } from "./control.ts";

export const deliveriesBody = command({
  name: "deliveries body",
  summary: "print the exact bytes of the body of a delivery (local sandbox only)",
  remote: "reads",
  output: "bytes",
  arguments: [{ name: "delivery", help: "id of the delivery" }],
  examples: [
    "claims webhooks deliveries body 9c2a… > body.json",
    "claims webhooks deliveries body 9c2a… | openssl dgst -sha256",
  ],
  async run(context, call) {
    const id = await readId(context, call.args.delivery, DELIVERY_ID_HINT);
    const service = await openService(context, call);
    const control = await findDeliveryControl(context, call.global, service);
    if (!control) throw sandboxOnlyError(service, "returns the body of a delivery");
    const { body } = await control.fetch("GET /deliveries/{id}/body", { params: { id } });
    return { kind: "stream", body: [body] };
  },
});
