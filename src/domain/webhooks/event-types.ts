/** The published event types; the sandbox sends a synthetic event of each on request (interface §6). */
export const EVENT_TYPES = [
  "partner.test",
  "partner.capability.changed",
  "partner.environment.promoted",
  "partner.credential.rotated",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export const isEventType = (name: string): name is EventType => EVENT_TYPES.some((type) => type === name);

export const MAX_EVENT_NAME_LENGTH = 128;

/** Dotted lower-case words, like the published names. Interface §6, rule 3 does not say whether others are accepted. */
export const EVENT_NAME_PATTERN = /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/;

export const isEventName = (name: string): boolean =>
  name.length <= MAX_EVENT_NAME_LENGTH && EVENT_NAME_PATTERN.test(name);
