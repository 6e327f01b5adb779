import { OPERATION_IDS } from "../../src/contract/operations/operations.ts";
import { word } from "./check-fields.ts";

// Apart from check-fields.ts, which the matchers of vitest use too: their file must not contain the whole contract.
export const OPERATION = word(OPERATION_IDS, "the id of an operation, such as diligence.submit");
