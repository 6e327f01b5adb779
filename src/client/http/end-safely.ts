import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";

const ENDINGS: ReadonlySet<string | symbol> = new Set(["end", "error", "close"]);

/**
 * Turns an exception of undici at the end of a connection into an error of the response.
 *
 * undici stops reading while the reader of a body is slow. If a connection without keep-alive ends in that time, undici throws
 * in an event of the socket, where nothing can catch it (nodejs/undici#5360; mended in a version that needs a newer Node).
 */
export function endSafely(socket: Socket): void {
  const emit: EventEmitter["emit"] = socket.emit;
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    try {
      return emit.call(socket, event, ...values);
    } catch (cause) {
      if (!ENDINGS.has(event)) throw cause;
      const error = new Error("the connection ended while the response was read", { cause });
      emit.call(socket, "error", Object.assign(error, { code: "UND_ERR_SOCKET" }));
      if (event === "close") return emit.call(socket, event, ...values);
      socket.destroy();
      return true;
    }
  };
}
