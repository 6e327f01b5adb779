import { describe, expect, it } from "vitest";
import { type KeyedRequest, listAliases, listKeys } from "../../../../../sandbox/inspector/models/uses.ts";
import { BROKER_ALIASES } from "../../../../../src/contract/aliases.ts";

const REQUEST_COUNT = 100_000;

const [{ path: ROUTE = "", canonicalPath = "" } = {}] = BROKER_ALIASES;

const requests = Array.from(
  { length: REQUEST_COUNT },
  (_, index) =>
    ({
      ...{ number: index + 1, key: "one-key", operation: "clients.create", status: 200, outcome: "answered" },
      ...{ idempotentReplay: index > 0, alias: { path: ROUTE, canonicalPath }, route: ROUTE },
    }) as Partial<KeyedRequest> as KeyedRequest,
);

describe("the state page of a full request log", () => {
  it("lists 100,000 requests with one key", () => {
    const [use] = listKeys(requests);
    expect(use?.requests).toHaveLength(REQUEST_COUNT);
    expect(use?.requests.at(-1)).toEqual({
      number: REQUEST_COUNT,
      status: 200,
      isReplay: true,
      outcome: "answered",
    });
  });

  it("lists 100,000 requests over one alias", () => {
    expect(listAliases(requests)).toMatchObject([{ path: ROUTE, requests: { length: REQUEST_COUNT } }]);
  });
});
