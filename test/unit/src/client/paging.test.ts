import { describe, expect, it } from "vitest";
import { findLink } from "../../../../src/domain/links.ts";
import { catchError, clientForTest } from "../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../support/scripted-service.ts";

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
])("findLink returns the next link of %s: %s", (header, target) =>
  expect(findLink(header, "next")).toBe(target),
);

type Page = (url: string, query: URLSearchParams) => { body: unknown; link?: string };

/** Starts a service below /base; `readAll` reads its pages, and `bodies` has those it got before an error. */
async function startPagedService(page: Page, path = "/items?limit=2") {
  const service = await startScriptedService((request, response) => {
    const { body, link } = page(service.url, new URL(request.url ?? "", service.url).searchParams);
    sendJson(response, 200, body, link === undefined ? {} : { link });
  });
  const bodies: unknown[] = [];
  const client = clientForTest(`${service.url}/base`);
  const readAll = async () => {
    for await (const { body } of client.pages({ method: "GET", path }))
      bodies.push(JSON.parse(body.toString()));
    return bodies;
  };
  return { service, bodies, readAll };
}

describe("Client.pages", () => {
  it("follows absolute and relative Link headers to the last page", async () => {
    const { service, readAll } = await startPagedService((url, query) => {
      const links = { "": `<${url}/base/items?p=2>; rel="next"`, 2: '<items?p=3>; rel="next"' } as const;
      const page = query.get("p") ?? "";
      return { body: page, link: links[page as keyof typeof links] ?? '</base/items>; rel="first"' };
    });
    expect(await readAll()).toEqual(["", "2", "3"]);
    expect(service.requests.map(({ url }) => url)).toEqual([
      "/base/items?limit=2",
      "/base/items?p=2",
      "/base/items?p=3",
    ]);
    expect(service.requests.every(({ headers }) => headers.authorization)).toBe(true);
  });

  it("follows nextCursor without a Link header, and keeps the other query parameters", async () => {
    const cursors: Record<string, unknown> = { start: "a&b=", "a&b=": "last", last: null };
    const { service, readAll } = await startPagedService((_, query) => {
      const cursor = query.get("cursor") ?? "start";
      return { body: { data: [cursor], nextCursor: cursors[cursor] } };
    });
    expect(await readAll()).toHaveLength(3);
    expect(service.requests.map(({ url }) => url)).toEqual([
      "/base/items?limit=2",
      "/base/items?limit=2&cursor=a%26b%3D",
      "/base/items?limit=2&cursor=last",
    ]);
  });

  it.each([
    ["items 0-1/5", undefined],
    ["bytes 0-1/5", "http_206"],
    [undefined, "http_206"],
  ])("takes 206 for a page only if it counts items: Content-Range %s", async (range, code) => {
    const { url } = await startScriptedService((_, response) =>
      sendJson(response, 206, [1], range === undefined ? {} : { "content-range": range }),
    );
    const read = async () => {
      for await (const page of clientForTest(url).pages({ method: "GET", path: "/items" }))
        return page.status;
      return null;
    };
    if (code === undefined) expect(await read()).toBe(206);
    else expect(await catchError(read())).toMatchObject({ code });
  });

  it.each([[null], [[1]], ["text"], [{ nextCursor: 7 }], [{ nextCursor: "" }]])(
    "ends after a body of %j",
    async (body) => expect(await (await startPagedService(() => ({ body }))).readAll()).toEqual([body]),
  );

  it.each([
    ["to another host", () => "https://elsewhere.example/base/items"],
    ["to another port", () => "http://127.0.0.1:1/base/items"],
    ["to a path outside the base URL", (url: string) => `${url}/basement/items`],
    ["to an encoded path outside the base URL", () => "/base/%2e%2e/items"],
    ["that is not a URL", () => "http://["],
  ])("rejects a link %s", async (_, target) => {
    const { service, bodies, readAll } = await startPagedService((url) => ({
      body: 1,
      link: `<${target(url)}>; rel="next"`,
    }));
    expect(await catchError(readAll())).toMatchObject({ code: "paging_elsewhere" });
    expect([bodies, service.requests.length]).toEqual([[1], 1]);
  });

  it("rejects links that form a loop", async () => {
    const { service, bodies, readAll } = await startPagedService((_, query) => ({
      body: {},
      link: `<?p=${query.get("p") === "1" ? 2 : 1}>; rel="next"`,
    }));
    expect(await catchError(readAll())).toMatchObject({ kind: "unreachable", code: "paging_loop" });
    expect([bodies.length, service.requests.length]).toEqual([3, 3]);
  });
});
