import type { Sandbox } from "./api/sandbox.ts";
import { sandboxClosedError } from "./store/store.ts";

// biome-ignore lint/suspicious/noExplicitAny: the parameters do not matter
type Method = (...args: any[]) => unknown;

/** The names of the methods that do not return a promise. */
type SyncMethod<T> = {
  [Name in keyof T]: T[Name] extends Method
    ? ReturnType<T[Name]> extends PromiseLike<unknown>
      ? never
      : Name
    : never;
}[keyof T];

type Part = "clock" | "webhooks" | "snapshots" | "faults" | "requests" | "grease";

/** The methods that throw. Those that are not listed return a promise, and reject. */
const SYNC_METHODS: { readonly [Name in Part]: Readonly<Record<SyncMethod<Sandbox[Name]>, true>> } = {
  clock: { now: true, freeze: true, unfreeze: true, agenda: true },
  webhooks: {},
  snapshots: { revision: true, list: true, remove: true },
  faults: { add: true, list: true, clear: true },
  requests: {},
  grease: {},
};

const SANDBOX_SYNC_METHODS: Readonly<Record<SyncMethod<Sandbox>, true>> = { activity: true, mark: true };

/** Refuses every use with `sandbox_closed` as soon as the sandbox closes. What is fixed at the start stays readable. */
export function refuseAfterClose(sandbox: Sandbox, isClosed: () => boolean): Sandbox {
  const requireOpen = (): void => {
    if (isClosed()) throw sandboxClosedError();
  };

  const guardProperty = (
    owner: object,
    property: PropertyDescriptor,
    isSync: boolean,
  ): PropertyDescriptor => {
    const { get, value } = property;
    const guard = (use: Method): Method =>
      function callIfOpen(...args) {
        requireOpen();
        return use.apply(owner, args);
      };
    if (get) return { ...property, get: guard(get) };
    if (typeof value !== "function") return property;
    const method = guard(value);
    return { ...property, value: isSync ? method : async (...args: unknown[]) => method(...args) };
  };

  const guardMethods = <T extends object>(part: T, syncMethods: object): T => {
    const properties = Object.entries(Object.getOwnPropertyDescriptors(part)).map(
      ([name, property]) => [name, guardProperty(part, property, name in syncMethods)] as const,
    );
    return Object.defineProperties({} as T, Object.fromEntries(properties));
  };

  const parts = Object.entries(SYNC_METHODS).map(
    ([name, methods]) => [name, guardMethods(sandbox[name as Part], methods)] as const,
  );
  const { close } = sandbox;
  return Object.assign(guardMethods(sandbox, SANDBOX_SYNC_METHODS), Object.fromEntries(parts), {
    close,
    [Symbol.asyncDispose]: close,
  });
}
