import { enroll } from "./enroll.ts";

export const commands = [enroll];
