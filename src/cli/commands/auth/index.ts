import type { AnyCommand } from "../../framework/command.ts";
import { login } from "./login/login.ts";
import { logout } from "./logout.ts";
import { status as authStatus } from "./status.ts";
import { token } from "./token.ts";

/** The commands of `claims auth`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [login, authStatus, logout, token];
