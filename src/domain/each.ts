/** Fields of the same kind, as in `each(count, "accepted", "rejected")`. */
export const each = <T, const Name extends string>(make: () => T, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, make()])) as { [Each in Name]: T };
