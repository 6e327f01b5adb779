import { formatTime } from "../engine/clock.ts";
import { invalid } from "../refusal.ts";
import { findJobOf } from "../store/jobs.ts";
import { addNotification } from "../store/notifications.ts";
import type { HandlersOf } from "./handler.ts";

export const notifications = {
  create({ caller, body }, { store, random, clock }) {
    const { recipient, subject, message, diligenceJobId = null } = body;
    if (diligenceJobId !== null && !findJobOf(store, caller, diligenceJobId)) {
      const detail = `diligenceJobId: there is no job ${diligenceJobId} for this credential in ${caller.environment}.`;
      throw invalid([{ pointer: "/diligenceJobId", code: "not_found", detail }]);
    }
    const wanted = { recipient, subject, message };
    const made = { id: random.uuid("notification"), ...wanted, createdAt: clock.now() };
    addNotification(store, caller, { ...made, job: diligenceJobId });
    const { environment } = caller;
    const createdAt = formatTime(made.createdAt);
    return { json: { id: made.id, environment, ...wanted, diligenceJobId, status: "requested", createdAt } };
  },
} satisfies HandlersOf<"notifications">;
