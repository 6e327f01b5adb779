import { command } from "../../command.ts";
import { openService } from "../../service.ts";
import { parseAnswer, whyNotReadable } from "./job.ts";
import { jobArgument } from "./options.ts";
import { reportBlocks } from "./report-card.ts";

export const report = command({
  name: "report",
  summary: "show the report of a job, with its rf8Review",
  remote: "reads",
  arguments: [jobArgument],
  options: {},
  examples: ["claims diligence report 7d9c…", "claims diligence report 7d9c… --json | jq .rf8Review.outcome"],
  async run(context, { args: [id = ""], global, onEnd }) {
    const service = await openService(context, global);
    onEnd(service.close);
    const { client, operations } = service;
    try {
      const answer = await client.send(operations.diligence.report, { params: { jobId: id } });
      return { kind: "document", json: answer.body, blocks: reportBlocks(parseAnswer(answer, "the report")) };
    } catch (error) {
      throw await whyNotReadable(service, id, error);
    }
  },
});
