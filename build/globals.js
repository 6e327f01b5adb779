// Stands for Node's globals in every bundled file: a host's test suite may fake the timers, also those of node:timers, and
// jsdom replaces or lacks some globals. The sandbox works the same in such a suite. The timers are copied when the first
// bundled file loads.
import timers from "node:timers";
import promises from "node:timers/promises";

export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = timers;

export const timersPromises = { ...promises };

// No module of Node exports it, jest's jsdom lacks it, and Koa tests every body that is an object for it.
export class Response {
  /** @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return "Response" in globalThis && value instanceof globalThis.Response;
  }
}

// jest can fake these two before it loads anything. Promises do the same, and no suite fakes them.
/** @param {() => void} callback */
export const queueMicrotask = (callback) => void Promise.resolve().then(callback);

/** @param {(...args: unknown[]) => void} callback @param {unknown[]} args */
export const nextTick = (callback, ...args) => void Promise.resolve().then(() => callback(...args));
