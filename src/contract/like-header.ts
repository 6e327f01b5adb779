/** On each response in the form of an observed service: when that was last seen. */
export const LIKE_HEADER = "X-Sandbox-Like";
