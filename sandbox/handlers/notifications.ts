import { formatTime } from "../engine/clock.ts";
import { findJobOf } from "../store/jobs.ts";
import { addNotification } from "../store/notifications.ts";
import type { HandlersOf } from "./handler.ts";
import { unknownObject } from "./named-object.ts";

export const notifications = {
  create({ caller, body }, { store, random, clock }) {
    const { recipient, subject, message, diligenceJobId = null } = body;
    if (diligenceJobId !== null && !findJobOf(store, caller, diligenceJobId)) {
      const place = { pointer: "/diligenceJobId" };
      throw unknownObject(caller, { code: "job_not_found", what: "job", id: diligenceJobId, place });
    }
    const wanted = { recipient, subject, message };
    const made = { id: random.uuid("notification"), ...wanted, createdAt: clock.now() };
    addNotification(store, caller, { ...made, job: diligenceJobId });
    const { environment } = caller;
    const createdAt = formatTime(made.createdAt);
    return { json: { id: made.id, environment, ...wanted, diligenceJobId, status: "requested", createdAt } };
  },
} satisfies HandlersOf<"notifications">;
