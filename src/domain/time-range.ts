/** 0000-01-01T00:00:00Z, the first time that RFC 3339 can write; milliseconds since 1970. */
export const FIRST_TIME = -62_167_219_200_000;

/** The last one, a millisecond before the year 10000. */
export const LAST_TIME = 253_402_300_799_999;
