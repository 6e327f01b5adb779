import { canResume } from "../../src/domain/diligence/states.ts";
import { type ClaimsError, usageError } from "../../src/domain/errors.ts";
import { FAULT_PRESETS, type FaultPresetName, isFaultPreset } from "../../src/domain/faults/presets.ts";
import { quoteValue } from "../../src/domain/json.ts";
import { formatCount } from "../../src/domain/numbers.ts";
import { isEndpointState } from "../../src/domain/webhooks/endpoints.ts";
import { Delivery, SINK_FAILURE } from "../../src/pages/delivery.tsx";
import type { FaultEffect, FaultSpec } from "../api/faults.ts";
import { sendEditedRequest } from "../engine/requests-api.ts";
import { findJob } from "../store/jobs.ts";
import { findSink, readDelivery } from "./models/delivery.ts";
import type { PageCall, View } from "./pages.tsx";

interface ActionCall extends PageCall {
  readonly form: URLSearchParams;
}

/** A message, and where to go if not back; or a page of its own. */
interface ActionResult {
  readonly message: string;
  readonly to?: string;
}

type Action = (call: ActionCall) => Promise<ActionResult | View>;

const EFFECTS: Readonly<Record<string, Pick<FaultSpec, "phase"> & { readonly then: FaultEffect }>> = {
  "503": { then: { status: 503 } },
  "429": { then: { status: 429, retryAfter: 1 } },
  reset: { phase: "after", then: { reset: true } },
  delay: { then: { delay: "2s" } },
};

const invalid = (message: string, hint: string): ClaimsError =>
  usageError("validation_failed", message, { hint });

/** Every action by its path below the prefix of the inspector. A form posts it, with or without the script. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  "/clock": async ({ form, sandbox: { clock } }) => {
    const to = form.get("to") ?? "";
    if (to === "freeze" || to === "unfreeze") {
      clock[to]();
      return { message: `The clock is ${clock.frozen ? "frozen" : "running"}.` };
    }
    const { ran, to: reached } = await clock.advance(to);
    return { message: `The clock is at ${reached}; ${formatCount(ran.length, "task")} ran.` };
  },
  "/requests/{number}/replay": async ({ form, params: { number = "" }, sandbox }) => {
    const { request, same } = await sandbox.requests.replay(number, {
      newKey: form.get("newKey") === "true",
    });
    const result = same === null ? "" : same ? ", with the same response" : ", with another response";
    return {
      message: `Sent request ${number} again as request ${request.number}${result}.`,
      to: `/requests/${request.number}`,
    };
  },
  "/requests/{number}/send": async ({ engine, form, params: { number = "" } }) => {
    const target = form.get("target") ?? "";
    if (!/^\/[\x21-\x7e]*$/.test(target))
      throw invalid(
        `the path cannot be ${quoteValue(target)}`,
        "begin it with / and encode other characters than visible ASCII",
      );
    const sent = await sendEditedRequest(engine, Number(number), { target, body: form.get("body") });
    return { message: `Sent it as request ${sent}.`, to: `/requests/${sent}` };
  },
  "/requests/{number}/fault": async ({ form, params: { number = "" }, sandbox }) => {
    const effect = EFFECTS[form.get("effect") ?? ""];
    const { operation } = await sandbox.requests.get(number);
    if (!effect || operation === null)
      throw invalid("there is no such effect for this request", "choose an effect of the list");
    const { description } = sandbox.faults.add({ match: { operation }, times: 1, ...effect } as FaultSpec);
    return { message: `The next ${operation} fails: ${description}.` };
  },
  "/deliveries/{id}/resend": async ({ params: { id = "" }, sandbox }) => {
    const { attempts } = await sandbox.webhooks.resend(id);
    const last = attempts.at(-1);
    return { message: `Sent it again: ${last?.responseStatus ?? last?.error?.detail ?? "no response"}.` };
  },
  "/deliveries/{id}/fail": async ({ engine, params: { id = "" }, sandbox }) => {
    const { url } = await sandbox.webhooks.delivery(id);
    const sink = findSink(url, sandbox.url);
    if (sink === null)
      throw invalid(
        "the receiver of this delivery is not a sink",
        "only the built-in receivers can fail on request",
      );
    engine.sinks.failNext(sink, SINK_FAILURE.count, SINK_FAILURE.status);
    return { message: `The sink ${sink} answers ${SINK_FAILURE.text}.` };
  },
  "/deliveries/{id}/compare": async ({ engine, form, params: { id = "" } }) => ({
    ...{ title: "Delivery", current: null },
    content: <Delivery {...(await readDelivery(engine, id, form.get("body") ?? ""))} />,
  }),
  "/jobs/{id}/resume": async ({ engine, params: { id = "" } }) => {
    const job = findJob(engine.store, id);
    if (!job || !canResume(job.state))
      throw invalid(`job ${id} cannot be resumed`, "only a partial or a failed job can");
    engine.jobs.resume(id);
    return { message: "The job is queued again." };
  },
  "/snapshots": async ({ form, sandbox }) => {
    const { name, rows } = await sandbox.snapshots.save(form.get("name") ?? "");
    return { message: `Saved ${formatCount(rows, "row")} as ${name}.` };
  },
  "/snapshots/{name}/load": async ({ params: { name = "" }, sandbox }) => {
    await sandbox.snapshots.load(name);
    return { message: `Restored ${name}.` };
  },
  "/faults": async ({ form, sandbox }) => {
    const preset = form.get("preset");
    if (!isFaultPreset(preset))
      throw invalid(
        `no preset ${quoteValue(preset)}`,
        `the presets are ${Object.keys(FAULT_PRESETS).join(", ")}`,
      );
    sandbox.faults.add(preset as FaultPresetName);
    return { message: `In force: ${FAULT_PRESETS[preset].summary}.` };
  },
  "/faults/{id}/delete": async ({ params: { id = "" }, sandbox }) => {
    sandbox.faults.clear(Number(id));
    return { message: "Deleted the fault." };
  },
  "/endpoints/{id}/status": async ({ form, params: { id = "" }, sandbox }) => {
    const status = form.get("status") ?? "";
    if (!isEndpointState(status) || status === "revoked")
      throw invalid(`the status cannot be ${quoteValue(status)}`, "give active or disabled");
    const { label } = await sandbox.webhooks.setStatus(id, status);
    return { message: `${label} is ${status}.` };
  },
  "/emit": async ({ form, sandbox }) => {
    const type = form.get("type") ?? "";
    const { deliveries } = await sandbox.webhooks.emit({ type });
    await sandbox.idle();
    const [first] = deliveries;
    return {
      message: `Emitted ${type} to ${formatCount(deliveries.length, "endpoint")}.`,
      ...(first && { to: `/deliveries/${first.deliveryId}` }),
    };
  },
};
