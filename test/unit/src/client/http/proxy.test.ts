import { expect, it } from "vitest";
import { matchesNoProxy } from "../../../../../src/client/http/proxy.ts";

it.each<[string, string, boolean]>([
  ["", "http://a.example", false],
  ["*", "http://a.example", true],
  ["b.example, a.example", "http://a.example", true],
  ["a.example.", "http://a.example", true],
  ["example", "http://a.example", true],
  ["*.example", "http://a.example", true],
  ["ample", "http://a.example", false],
  ["b.a.example", "http://a.example", false],
  ["a.example:80", "http://a.example", true],
  ["a.example:80", "https://a.example", false],
  ["10.1.2.3", "http://10.1.2.3", true],
  ["2.3", "http://10.1.2.3", false],
  ["10.0.0.0/8", "http://10.1.2.3", true],
  ["10.0.0.0/8", "http://11.1.2.3", false],
  ["10.0.0.0/64", "http://10.1.2.3", false],
  ["fd00::/8", "http://[fd00::1]", true],
  ["[fd00::1]:81", "http://[fd00::1]", false],
  ["fd00::1", "http://[fd00::1]", true],
  ["[fd00::1", "http://[fd00::1]", false],
  [", ,.", "http://a.example", false],
])("NO_PROXY with %j exempts %s: %s", (list, url, exempt) =>
  expect(matchesNoProxy(new URL(url), list)).toBe(exempt),
);
