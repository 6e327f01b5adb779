import { formCheck } from "./check.ts";
import { formCompare } from "./compare.ts";
import { formNew } from "./new.ts";

/** The commands of the form of a service: write a start, check it, compare it with the service. */
export const formCommands = [formNew, formCheck, formCompare];
