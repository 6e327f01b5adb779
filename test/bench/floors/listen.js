/**
 * Listens on a free port of this machine, and prints it for the benchmark.
 * @param {import("node:http").Server} server
 */
export const listenAndPrint = (server) =>
  server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    console.log(JSON.stringify({ port }));
  });
