import { formatTime } from "../engine/scheduler/clock.ts";
import { NOTIFICATIONS } from "../store/notifications.ts";
import type { HandlersOf } from "./handler.ts";
import { requireJob } from "./require-record.ts";

export const notifications = {
  create({ caller, body }, { store, random, clock }) {
    const { recipient, subject, message, diligenceJobId = null } = body;
    if (diligenceJobId !== null) requireJob(store, caller, diligenceJobId, { pointer: "/diligenceJobId" });
    const { environment } = caller;
    const id = random.uuid("notification");
    const now = clock.now();
    const fields = { recipient, subject, message };
    NOTIFICATIONS.insert(store, { ...caller, id, ...fields, createdAt: now, job: diligenceJobId });
    const createdAt = formatTime(now);
    return { json: { id, environment, ...fields, diligenceJobId, status: "requested", createdAt } };
  },
} satisfies HandlersOf<"notifications">;
