export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
