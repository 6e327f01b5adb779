/** Text from elsewhere, made harmless for a terminal: control characters, also those of C1, become a middle dot. */
export const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "·");
