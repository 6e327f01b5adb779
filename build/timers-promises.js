// In place of node:timers/promises.
import { timersPromises } from "./globals.js";

export const { setTimeout, setInterval, setImmediate } = timersPromises;
