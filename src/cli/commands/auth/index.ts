import { login } from "./login/login.ts";
import { logout } from "./logout.ts";
import { status } from "./status.ts";
import { token } from "./token.ts";

export const commands = [login, status, logout, token];
