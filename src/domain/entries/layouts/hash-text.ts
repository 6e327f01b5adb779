/**
 * A hash of 53 bits, as large as a safe integer: two hashes by the algorithm FNV-1a of Fowler, Noll and Vo, which differ in their
 * start and their factor. Different texts have the same hash so rarely that a warning may rest on it.
 */
export function hashText(text: string): number {
  let one = 0x811c9dc5;
  let other = 0xcbf29ce4;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x01000197);
  }
  return (one >>> 0) * 0x20_0000 + (other >>> 11);
}
