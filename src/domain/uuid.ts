const PATTERN = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** A text that is a UUID (RFC 9562), in any letter case. */
export const UUID = new RegExp(`^${PATTERN}$`, "i");

/** Each UUID inside of a text. */
export const UUIDS = new RegExp(PATTERN, "gi");

export const listUuids = (text: string): readonly string[] => text.match(UUIDS) ?? [];
