import { Readable } from "node:stream";

/** Characters that wait for a slow reader of stdout. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;

/** While nothing reads stdout, senders must not fill the memory: further deliveries are dropped and counted. */
export function createLineQueue(describeDropped: (count: number) => string) {
  const stream = new Readable({ encoding: "utf8", read() {} });
  let dropped = 0;
  const reportDropped = (): void => {
    if (dropped > 0) stream.push(describeDropped(dropped));
    dropped = 0;
  };
  return {
    lines: stream as AsyncIterable<string>,
    push: (line: string): void => void stream.push(line),

    pushDelivery(line: string): void {
      if (stream.readableLength > MAX_WAITING_CHARACTERS) {
        dropped += 1;
        return;
      }
      reportDropped();
      stream.push(line);
    },

    end(): void {
      reportDropped();
      stream.push(null);
    },

    fail: (error: Error): void => void stream.destroy(error),
  };
}
