/** Value in the form of the contract → the value that the service sent. */
const sent = new WeakMap<object, unknown>();

export function rememberSent<T extends object>(value: T, asSent: unknown): T {
  sent.set(value, asSent);
  return value;
}

/** The value as the service sent it: the value itself, unless an observed service gave it the names of the contract. */
export const toSent = (value: unknown): unknown =>
  typeof value === "object" && value !== null && sent.has(value) ? sent.get(value) : value;
