// One file for what only a check with an observed service loads.
export { listDeviations } from "../../../contract/observed/deviations.ts";
export { readObservedService } from "../../connection/observed-service.ts";
