import { get } from "./get.ts";
import { onboard } from "./onboard.ts";

export const commands = [get, onboard];
