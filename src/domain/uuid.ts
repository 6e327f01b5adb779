/** A text that is a UUID (RFC 9562), in any letter case. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const ANY_UUID = "00000000-0000-0000-0000-000000000000";

/** Whether a text is the first 8 to 35 characters of a UUID: enough for a person to name one of a few. */
export const isStartOfUuid = (text: string): boolean =>
  text.length >= 8 && text.length < ANY_UUID.length && UUID.test(text + ANY_UUID.slice(text.length));
