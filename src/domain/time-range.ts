/** 0000-01-01T00:00:00Z, the first time in RFC 3339; milliseconds since 1970. */
export const MIN_TIME_MS = -62_167_219_200_000;

/** The last one, a millisecond before the year 10000. */
export const MAX_TIME_MS = 253_402_300_799_999;

/** A time after another one, but not after the last one. */
export const addDelay = (timeMs: number, delayMs: number): number => Math.min(timeMs + delayMs, MAX_TIME_MS);
