/** Whether it is base64 of either alphabet, and nothing else. */
export function isBase64(text: string): boolean {
  const end = text.search(/[^A-Za-z0-9+/_-]/);
  return end === -1 ? text !== "" : end > 0 && /^={1,2}$/.test(text.slice(end));
}

/** Whether it is an even number of hex digits. */
export const isHex = (text: string): boolean =>
  text.length % 2 === 0 && text !== "" && !/[^0-9a-f]/i.test(text);
