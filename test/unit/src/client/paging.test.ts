import { describe, expect, it } from "vitest";
import { parseNextLink } from "../../../../src/client/paging.ts";
import { catchError, clientForTest } from "../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../support/scripted-service.ts";

describe("nextLink", () => {
  it.each<[string, string | null]>([
    ["", null],
    ['</a?b=1,2;3>; rel="next"', "/a?b=1,2;3"],
    ["</a>; rel=next", "/a"],
    ['</p>; rel="prev", </n>; title="a, <b>; rel=\\"prev\\"" ; REL = "last Next"', "/n"],
    ['</a>; rel="next"; rel="prev"', "/a"],
    ['</a>; rel="prev"; rel="next"', null],
    ['</a>; rel="next"; anchor="#x", </b>; rel=next', "/b"],
    ['</a>; rel="nextish"', null],
    ['</a>, </b>; hreflang=en; rel="next"', "/b"],
    ['<>; rel="next"', ""],
    ["rubbish", null],
  ])("of %s is %s", (header, target) => expect(parseNextLink(header)).toBe(target));
});

type Page = (url: string, query: URLSearchParams) => { body: unknown; link?: string };

/** Every page of a service that is below /base, as far as they go, and how it ended. */
async function read(page: Page, path = "/items?limit=2") {
  const service = await startScriptedService((request, response) => {
    const { body, link } = page(service.url, new URL(request.url ?? "", service.url).searchParams);
    sendJson(response, 200, body, link === undefined ? {} : { link });
  });
  const bodies: unknown[] = [];
  const client = clientForTest(`${service.url}/base`);
  const reading = async () => {
    for await (const { body } of client.pages({ method: "GET", path }))
      bodies.push(JSON.parse(body.toString()));
    return bodies;
  };
  return { service, bodies, reading };
}

describe("pages", () => {
  it("follow Link, absolute or relative, as long as there is one", async () => {
    const { service, reading } = await read((url, query) => {
      const links = { "": `<${url}/base/items?p=2>; rel="next"`, 2: '<items?p=3>; rel="next"' } as const;
      const page = query.get("p") ?? "";
      return { body: page, link: links[page as keyof typeof links] ?? '</base/items>; rel="first"' };
    });
    expect(await reading()).toEqual(["", "2", "3"]);
    expect(service.requests.map(({ url }) => url)).toEqual([
      "/base/items?limit=2",
      "/base/items?p=2",
      "/base/items?p=3",
    ]);
    expect(service.requests.every(({ headers }) => headers.authorization)).toBe(true);
  });

  it("follow nextCursor where there is no such Link, and keep the rest of the query", async () => {
    const cursors: Record<string, unknown> = { start: "a&b=", "a&b=": "last", last: null };
    const { service, reading } = await read((_, query) => {
      const cursor = query.get("cursor") ?? "start";
      return { body: { data: [cursor], nextCursor: cursors[cursor] } };
    });
    expect(await reading()).toHaveLength(3);
    expect(service.requests.map(({ url }) => url)).toEqual([
      "/base/items?limit=2",
      "/base/items?limit=2&cursor=a%26b%3D",
      "/base/items?limit=2&cursor=last",
    ]);
  });

  it.each([[null], [[1]], ["text"], [{ nextCursor: 7 }], [{ nextCursor: "" }]])(
    "end with a body of %j",
    async (body) => expect(await (await read(() => ({ body }))).reading()).toEqual([body]),
  );

  it.each([
    ["another host", () => "https://elsewhere.example/base/items"],
    ["another port", () => "http://127.0.0.1:1/base/items"],
    ["another part of the host", (url: string) => `${url}/basement/items`],
    ["a way out of the base", () => "/base/%2e%2e/items"],
    ["no address at all", () => "http://["],
  ])("never leave for %s", async (_, target) => {
    const { service, bodies, reading } = await read((url) => ({
      body: 1,
      link: `<${target(url)}>; rel="next"`,
    }));
    expect(await catchError(reading())).toMatchObject({ code: "paging_elsewhere" });
    expect([bodies, service.requests.length]).toEqual([[1], 1]);
  });

  it("that lead in a circle end in an error", async () => {
    const { service, bodies, reading } = await read((_, query) => ({
      body: {},
      link: `<?p=${query.get("p") === "1" ? 2 : 1}>; rel="next"`,
    }));
    expect(await catchError(reading())).toMatchObject({ kind: "unreachable", code: "paging_loop" });
    expect([bodies.length, service.requests.length]).toEqual([3, 3]);
  });
});
