// A command's name is one word below its noun, or two: a group and a verb. A group may be a command itself.

interface HasName {
  readonly name: string;
}

/** The two words of a name; the second is "" where there is one. */
export function splitName({ name }: HasName): readonly [first: string, second: string] {
  const [first = "", second = ""] = name.split(" ");
  return [first, second];
}

/** The command that a line names; the longer name wins: `deliveries show` over `deliveries`. */
export const findCommand = <S extends HasName>(
  specs: readonly S[],
  [first, second]: readonly string[],
): S | undefined =>
  specs.find(({ name }) => name === `${first} ${second}`) ?? specs.find(({ name }) => name === first);

/** The commands of a group. */
export const listGroup = <S extends HasName>(specs: readonly S[], group: string | undefined): readonly S[] =>
  specs.filter((spec) => {
    const [first, second] = splitName(spec);
    return second !== "" && first === group;
  });
