import { expect, it } from "vitest";
import { startForeign } from "../support/foreign-service.ts";
import { describeEachFirst } from "../support/large.ts";
import { learnUnattended, runWorkList } from "../support/work-list.ts";

/** All of the services, also on a terminal, are in `test/long/work-list.test.ts`. */
describeEachFirst([["kontor"], ["kessler"]])("the service %s", (name) => {
  it("passes the work list of a partner with the lines of its documentation", async () => {
    const service = await startForeign(name);
    const learned = await learnUnattended(service, service.truth.mapping);
    expect(learned.code, learned.text).toBe(0);
    expect(await runWorkList(service, learned.file)).toEqual([]);
  });
});
