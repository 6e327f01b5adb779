/** The id of the record that a `Location` names; null if there is none. */
export function readLastSegment(location = ""): string | null {
  const segment =
    location
      .replace(/[?#].*$/s, "")
      .split("/")
      .findLast(Boolean) ?? "";
  try {
    return decodeURIComponent(segment) || null;
  } catch {
    // It is not percent-encoded.
    return segment;
  }
}
