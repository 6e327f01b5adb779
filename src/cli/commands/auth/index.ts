import type { AnyCommand } from "../../framework/command.ts";
import { login } from "./login/login.ts";
import { logout } from "./logout.ts";
import { status } from "./status.ts";
import { token } from "./token.ts";

export const commands: readonly AnyCommand[] = [login, status, logout, token];
