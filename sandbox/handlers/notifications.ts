import { formatTime } from "../engine/scheduler/clock.ts";
import { addNotification } from "../store/notifications.ts";
import type { HandlersOf } from "./handler.ts";
import { requireJob } from "./require-job.ts";

export const notifications = {
  create({ caller, body }, { store, random, clock }) {
    const { recipient, subject, message, diligenceJobId = null } = body;
    if (diligenceJobId !== null) requireJob(store, caller, diligenceJobId, { pointer: "/diligenceJobId" });
    const wanted = { recipient, subject, message };
    const made = { id: random.uuid("notification"), ...wanted, createdAt: clock.now() };
    addNotification(store, caller, { ...made, job: diligenceJobId });
    const { environment } = caller;
    const createdAt = formatTime(made.createdAt);
    return { json: { id: made.id, environment, ...wanted, diligenceJobId, status: "requested", createdAt } };
  },
} satisfies HandlersOf<"notifications">;
