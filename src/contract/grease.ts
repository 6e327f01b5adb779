/** What a greased sandbox varies of all that is only assumed (product.md §5). */
export const GREASE_DIMENSIONS = ["jobIdField", "stateName", "unknownFields"] as const;

export type GreaseDimension = (typeof GREASE_DIMENSIONS)[number];

export const isGreaseDimension = (name: unknown): name is GreaseDimension =>
  (GREASE_DIMENSIONS as readonly unknown[]).includes(name);
