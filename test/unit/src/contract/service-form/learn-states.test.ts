import fc from "fast-check";
import { expect, it } from "vitest";
import { checkForm } from "../../../../../src/contract/service-form/check-form.ts";
import { learnState } from "../../../../../src/contract/service-form/learn/learn-states.ts";
import { markLearned, mergeForms } from "../../../../../src/contract/service-form/learn/merge-forms.ts";
import { FORM_VERSION, type ServiceForm } from "../../../../../src/contract/service-form/service-form.ts";

const historiesOf = (words: readonly string[]) =>
  fc.array(
    fc.record({
      records: fc.array(
        fc.constantFrom(...words).map((state) => ({ state })),
        { maxLength: 6 },
      ),
      hasReport: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  );

it("learns nothing of a service that uses the words of the contract, whichever polls were seen", () => {
  fc.assert(
    fc.property(historiesOf(["queued", "processing", "completed", "partial", "failed"]), (jobs) => {
      expect(learnState(jobs, ["state"]).row).toBeUndefined();
    }),
  );
});

it("writes no two states as one word, whatever words a service uses", () => {
  const words = ["queued", "processing", "Completed", "done", "partial", "failed", "running", "in review"];
  fc.assert(
    fc.property(historiesOf(words), (jobs) => {
      const { row } = learnState(jobs, ["state"]);
      const fields = row === undefined ? {} : { state: row };
      expect(checkForm({ serviceForm: FORM_VERSION, records: { Job: { fields } } })).toEqual([]);
    }),
  );
});

it("takes a word of an earlier run for another state when a later run shows it", () => {
  const evidence = {
    ...{ firstAt: "", lastAt: "", contractHash: "", serviceContractHash: null },
    ...{ responses: [], learned: [], findings: [] },
  };
  const formOf = (words: Record<string, string>): ServiceForm =>
    markLearned({
      ...{ serviceForm: FORM_VERSION, evidence },
      records: { Job: { fields: { state: { at: "state", words } } } },
    });
  const { form } = mergeForms(formOf({ queued: "running" }), formOf({ processing: "running" }));
  expect(checkForm(form)).toEqual([]);
});

it("takes the word of a job with a report for its end only if the word has stayed for three polls", () => {
  const records = ["waiting", "running", "ready", "ready"].map((state) => ({ state }));
  const wordsOf = (polls: readonly object[]) => {
    const { row } = learnState([{ records: polls, hasReport: true }], ["state"]);
    return typeof row === "object" ? row?.words : row;
  };
  expect(wordsOf(records)).toEqual({ queued: "waiting" });
  expect(wordsOf([...records, { state: "ready" }])).toEqual({
    ...{ queued: "waiting", processing: "running", completed: "ready" },
  });
});
