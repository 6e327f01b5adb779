/** Where a credential and its data belong (interface §1). */
export const ENVIRONMENTS = ["sandbox", "production"] as const;

export type Environment = (typeof ENVIRONMENTS)[number];
