import type { ActivityEvent, DroppedEvents } from "../../../../../sandbox/index.ts";
import type { ActivityLine } from "../../../../domain/activity/activity-line.ts";
import { describeAttempt } from "../../../../domain/activity/describe-attempt.ts";
import { describeRequest } from "../../../../domain/activity/describe-request.ts";

export const describeEvent = (event: ActivityEvent): ActivityLine =>
  event.event === "request" ? describeRequest(event) : describeAttempt(event);

export const describeDropped = ({ dropped }: DroppedEvents): string =>
  `${dropped} lines are missing: they arrived faster than they were read`;
