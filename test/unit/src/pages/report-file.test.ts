import { expect, it } from "vitest";
import { renderReportFile } from "../../../../src/pages/report-file.tsx";

it("a report of another service shows a list whose items have no common fields with a part of their fields", () => {
  const list = Array.from({ length: 1_000 }, (_, item) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, field) => [`f${item}_${field}`, item])),
  );
  const html = renderReportFile({
    jobId: "job",
    baseUrl: "http://a.test",
    report: { list },
    deadlines: null,
  });
  expect(html).toContain("The first 50 of 20000 fields.");
  expect(html.match(/<td>/g)).toHaveLength(50_000);
});
