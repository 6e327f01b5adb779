import type { AnyCommand } from "../../framework/command.ts";
import { create as claimsCreate } from "./create.ts";
import { list as claimsList } from "./list.ts";
import { status as claimsStatus } from "./status.ts";

/** The commands of `claims claims`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [claimsList, claimsCreate, claimsStatus];
