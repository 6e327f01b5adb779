/** The methods that `claims api` sends. */
export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
