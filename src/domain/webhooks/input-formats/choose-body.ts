import { verify } from "../signature.ts";
import type { LoggedDelivery } from "./logged-delivery.ts";

/** The text near the headers that verifies is the body; otherwise the most likely one. */
export const chooseBody = ({ headers, body, otherBodies }: LoggedDelivery, secrets: readonly string[]) =>
  otherBodies.length === 0
    ? body
    : ([body, ...otherBodies].find((each) => verify({ secrets, headers, body: each }).verdict === "valid") ??
      body);
