import { formatTime } from "../engine/clock.ts";

/** RFC 3339, or null for what has not happened yet. */
export const optionalTime = (time: number | null): string | null => (time === null ? null : formatTime(time));
