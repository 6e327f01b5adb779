/**
 * Makes `instanceof` true for instances of every copy of a class. The package has several: one in its ES modules, one in each
 * CommonJS file, and one in each realm of a test runner.
 */
export function brandClass(type: { readonly prototype: object }, name: string): void {
  const brand = Symbol.for(`claims-toolkit.${name}`);
  Object.defineProperty(type.prototype, brand, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      const isOwn = Function.prototype[Symbol.hasInstance].call(this, value);
      // A subclass inherits this method, but not every instance of the class is one of the subclass.
      return isOwn || (this === type && brand in Object(value));
    },
  });
}
