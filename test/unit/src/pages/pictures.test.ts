import { h, type VNode } from "preact";
import { describe, expect, it } from "vitest";
import { type Mark, TimePicture } from "../../../../src/pages/pictures.tsx";
import { renderPage } from "../../../../src/pages/render.ts";
import { FILE_LINKS, SiteProvider } from "../../../../src/pages/site.ts";

const NOW = "2026-11-20T00:00:00.000Z";

const mark = (at: number, tone: Mark["tone"] = "ok"): Mark => ({ at, tone, title: `at ${at}` });

function draw(marks: readonly Mark[], dueAt: readonly string[] = []): string {
  const due = dueAt.map((at) => ({ at, text: "a job ends" }));
  const picture = h(TimePicture, { label: "A run", lanes: [{ name: "requests", marks }], due });
  const site = { links: FILE_LINKS, formToken: null, here: "", now: NOW };
  return renderPage(h(SiteProvider, { value: site, children: picture }) as unknown as VNode);
}

const placesOf = (html: string): number[] =>
  [...html.matchAll(/<svg x="([^"]*)%"/g)].map(([, place]) => Number(place));

describe("a picture of time", () => {
  const now = Date.parse(NOW);

  it("has at most 160 marks of a lane, the worst of those in one place", () => {
    const marks = Array.from({ length: 5_000 }, (_, index) =>
      mark(now - 5_000 + index, index === 7 ? "bad" : "ok"),
    );
    const html = draw(marks);
    expect(placesOf(html).length).toBeLessThanOrEqual(160);
    expect(html.match(/class="bad"/g)).toHaveLength(1);
  });

  it("shows what happened at one moment side by side, and everything within its width", () => {
    const places = placesOf(draw(Array.from({ length: 10 }, () => mark(now))));
    expect(new Set(places).size).toBe(10);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    for (const place of places) expect(place >= 0 && place <= 100).toBe(true);
  });

  it("has what is due behind what happened, whatever the gaps are", () => {
    const marks = [mark(now - 30 * 86_400_000), mark(now - 1_000), mark(now)];
    const places = placesOf(draw(marks, ["2026-11-20T00:00:05.000Z", "2026-12-24T00:00:00.000Z"]));
    expect(places).toHaveLength(5);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it("draws nothing that is not a number without any mark", () => {
    expect(draw([])).not.toContain("NaN");
  });
});
