// A TCP proxy in front of a PostgreSQL server, so that a test can take the database away and give it back, and see its statements.
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";

const POSTGRES_PORT = "5432";
/** The start of the message by which a server says that it takes queries. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);

/**
 * @param url of a database
 * @param watch called for each connection; the function it returns gets all bytes that the client sends
 * @param watchAnswers the same for all bytes that the server sends
 * @returns `url` of the same database by way of the proxy; `cut` ends all connections and takes no new ones until `mend`;
 *   `freeze` keeps all connections open, takes new ones and passes nothing on until `thaw`; `abandon` does so for good with the
 *   connections there are, while new ones work; `freezeWhenReady` passes nothing of a new connection to the server once that
 *   takes queries
 */
export async function startProxy(
  url: string,
  watch?: () => (chunk: Buffer) => void,
  watchAnswers?: () => (chunk: Buffer) => void,
) {
  const target = new URL(url);
  const host = decodeURIComponent(target.searchParams.get("host") ?? target.hostname);
  const targetPort = target.searchParams.get("port") ?? (target.port || POSTGRES_PORT);
  const pairs = new Set<readonly [Socket, Socket]>();
  let server: Server | undefined;
  let frozen = false;
  let freezesWhenReady = false;

  function pass(near: Socket): void {
    const far = host.startsWith("/")
      ? connect({ path: `${host}/.s.PGSQL.${targetPort}` })
      : connect({ host, port: Number(targetPort) });
    const pair = [near, far] as const;
    pairs.add(pair);
    if (watch) near.on("data", watch());
    if (watchAnswers) far.on("data", watchAnswers());
    for (const [from, to] of [pair, [far, near] as const]) {
      // One end's failure is the other's end, and nothing else.
      from.on("error", () => to.destroy());
      from.on("close", () => {
        to.destroy();
        pairs.delete(pair);
      });
      if (!frozen) from.pipe(to);
    }
    far.on("data", (chunk: Buffer) => {
      if (freezesWhenReady && chunk.includes(READY_FOR_QUERY)) near.unpipe().pause();
    });
  }

  /** Stops both directions of every connection that is open. */
  function stall(): void {
    for (const socket of [...pairs].flat()) socket.unpipe().pause();
  }

  async function listen(port: number): Promise<number> {
    const listening = createServer(pass);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(port, "127.0.0.1", resolve));
    return (listening.address() as AddressInfo).port;
  }

  const port = await listen(0);
  const proxied = new URL(url);
  // The functions that watch read PostgreSQL's messages, and an answer to a request for TLS is none.
  proxied.search = "sslmode=disable";
  proxied.host = `127.0.0.1:${port}`;

  async function cut(): Promise<void> {
    const closed = new Promise((resolve) => server?.close(resolve));
    for (const socket of [...pairs].flat()) socket.destroy();
    await closed;
  }

  return {
    url: proxied.href,
    cut,
    mend: () => listen(port),
    freeze() {
      frozen = true;
      stall();
    },
    thaw() {
      frozen = false;
      for (const [near, far] of pairs) near.pipe(far).pipe(near);
    },
    abandon: stall,
    freezeWhenReady() {
      freezesWhenReady = true;
    },
  };
}
