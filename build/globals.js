// Stands for Node's globals in every bundled file: a host's test suite may fake the timers, also those of node:timers, and
// jsdom replaces or lacks some globals. The sandbox works the same in such a suite. The timers are copied when the first
// bundled file loads.
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } =
  process.getBuiltinModule("node:timers");

export const timersPromises = { ...process.getBuiltinModule("node:timers/promises") };

// No module of Node exports it, jest's jsdom lacks it, and Koa tests every body that is an object for it.
export class Response {
  /** @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return "Response" in globalThis && value instanceof globalThis.Response;
  }
}

// node:stream/web takes 5 ms to load, and undici and Koa only ask whether a body is such a stream.
/** @param {unknown[]} args */
export function ReadableStream(...args) {
  return Reflect.construct(process.getBuiltinModule("node:stream/web").ReadableStream, args);
}

Object.defineProperty(ReadableStream, Symbol.hasInstance, {
  value: (/** @type {unknown} */ value) =>
    Object.prototype.toString.call(value) === "[object ReadableStream]",
});

// jest can fake these two before it loads anything. Promises do the same, and no suite fakes them.
/** @param {() => void} callback */
export const queueMicrotask = (callback) => void Promise.resolve().then(callback);

/** @param {(...args: unknown[]) => void} callback @param {unknown[]} args */
export const nextTick = (callback, ...args) => void Promise.resolve().then(() => callback(...args));
