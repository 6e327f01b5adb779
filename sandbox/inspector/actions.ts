import { formatCount } from "../../src/domain/numbers.ts";
import type { PageCall } from "./routes.ts";

interface ActionCall extends Pick<PageCall, "sandbox" | "params"> {
  readonly form: URLSearchParams;
}

/** Resolves to the message for the page that it returns to. */
type Action = (call: ActionCall) => Promise<string>;

/** Every action by its path below the prefix of the inspector. A form posts it, with or without the script. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  "/clock": async ({ form, sandbox: { clock } }) => {
    const to = form.get("to") ?? "";
    if (to === "freeze" || to === "unfreeze") {
      clock[to]();
      return `The clock is ${clock.frozen ? "frozen" : "running"}.`;
    }
    const { ran, to: reached } = await clock.advance(to);
    return `The clock is at ${reached}; ${formatCount(ran.length, "task")} ran.`;
  },
  "/deliveries/{id}/resend": async ({ params: { id = "" }, sandbox }) => {
    const { attempts } = await sandbox.webhooks.resend(id);
    const last = attempts.at(-1);
    return `Sent it again: ${last?.responseStatus ?? last?.error?.detail ?? "no response"}.`;
  },
  "/endpoints/{id}/test": async ({ params: { id = "" }, sandbox }) => {
    await sandbox.webhooks.emit({ type: "partner.test", endpointId: id });
    return "Sent the event partner.test: its delivery is the first one below.";
  },
  "/snapshots": async ({ form, sandbox }) => {
    const { name, rows } = await sandbox.snapshots.save(form.get("name") ?? "");
    return `Saved ${formatCount(rows, "row")} as ${name}.`;
  },
  "/snapshots/{name}/load": async ({ params: { name = "" }, sandbox }) => {
    await sandbox.snapshots.load(name);
    return `Restored ${name}.`;
  },
  "/faults/{id}/delete": async ({ params: { id = "" }, sandbox }) => {
    sandbox.faults.clear(Number(id));
    return "Deleted the fault.";
  },
};
