/**
 * Text from elsewhere, made harmless for a terminal: control characters, also those of C1, and what turns the direction
 * of writing (Unicode TR 36 §2.5) become a middle dot.
 */
export const printable = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "·");
