import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ClaimsError } from "../../src/domain/errors.ts";
import { answerWhileStarting } from "./starting.ts";

/** A listening server whose behaviour comes later: SQLite is compiled meanwhile. */
export class Listener {
  readonly #server: Server;
  readonly #open = new Set<ServerResponse>();
  #answer: RequestListener = answerWhileStarting;

  constructor() {
    this.#server = createServer((req, res) => {
      this.#open.add(res);
      res.once("close", () => this.#open.delete(res));
      this.#answer(req, res);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(port: number, host: string): Promise<void> {
    this.#server.listen(port, host);
    try {
      await once(this.#server, "listening");
    } catch (error) {
      throw explained(error, port, host);
    }
  }

  answerWith(listener: RequestListener): void {
    this.#answer = listener;
  }

  /** Ends every connection; resolves when the server is gone and no answer is left half-way. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    const ended = [...this.#open].map((res) => once(res, "close"));
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.all([closed, ...ended]);
  }
}

function explained(error: unknown, port: number, host: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    return new ClaimsError("usage", "port_in_use", `Port ${port} on ${host} is taken by another program`, {
      hint: "Choose another port, or --port 0 for a free one.",
      cause: error,
    });
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EACCES") {
    return new ClaimsError(
      "usage",
      "host_unavailable",
      `The sandbox cannot listen on ${host}:${port} (${code})`,
      {
        hint: "Use 127.0.0.1, or an address of this machine and a port above 1023.",
        cause: error,
      },
    );
  }
  return error;
}
