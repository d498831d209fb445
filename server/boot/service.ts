// Starts the roles of this process on a database, and stops them without losing accepted work.
import type { AddressInfo, Socket } from "node:net";
import { createFrontDoor } from "../api/front-door.ts";
import { listenForMetrics } from "../api/metrics-door.ts";
import { type AnswerInNext, createNextDoor } from "../api/next-door.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import type { Settings } from "../base/env.ts";
import { listen } from "../base/listen.ts";
import type { Logger } from "../base/log.ts";
import type { Dns } from "../base/ports/dns.ts";
import type { SnsGet } from "../base/ports/provider-events.ts";
import { startWorker } from "../base/worker-loop.ts";
import { watchFacilitator } from "../payments/supported.ts";
import { startSmtp } from "../smtp/listener.ts";
import { startDelivering } from "../webhooks/delivery/deliver.ts";
import { type Assembled, assemble } from "./assemble.ts";
import { jobsOf } from "./jobs.ts";
import { type PagesState, startPages } from "./pages.ts";
import { checkBlobs, checkKey, listenAt } from "./start-checks.ts";

const HTTP_CLOSE_MS = 4_000;
const HTTP_SWEEP_MS = 50;

export type Service = {
  system: Ctx<System>;
  /**
   * The bound ports; they differ from settings that are 0. `smtpPort` exists with the smtp role, `metricsPort` with
   * METRICS_PORT.
   */
  port: number;
  smtpPort: number | undefined;
  metricsPort: number | undefined;
  /** Answers the requests of Next's own server; there only with `inNext`. */
  answer: AnswerInNext | undefined;
  /** Resolves when the pages are served or have failed; `none`: this process serves no pages. */
  pages: Promise<PagesState | "none">;
  stop(): Promise<void>;
};

type Options = {
  dev?: boolean;
  pages?: boolean;
  inNext?: boolean;
  now?: () => Date;
  dns?: Dns;
  payments?: Services["payments"];
  snsGet?: SnsGet | undefined;
};

/**
 * Starts the roles in `settings.ROLES` on a migrated database.
 * @param options `dev` rebuilds pages as they change; `pages: false` leaves them out; `inNext` leaves the server to Next;
 * `now` replaces the clock; `dns`,
 * `payments` and `snsGet` replace the real adapters
 */
export async function startService(
  settings: Settings,
  log: Logger,
  databaseUrl: string,
  options: Options = {},
): Promise<Service> {
  const has = (role: Settings["ROLES"][number]) => settings.ROLES.includes(role);
  const assembled = await assemble(settings, log, databaseUrl, { ...options, delivers: has("worker") });
  const { system, dispatcher } = assembled;
  const { HOST, PORT, SMTP_PORT, METRICS_PORT = 0 } = settings;
  let http: Http | undefined;
  let metrics: Awaited<ReturnType<typeof listenForMetrics>>;
  try {
    await checkThenListen(system);
    http = options.inNext
      ? inNext(system, has("web"))
      : await listenAt("PORT", HOST, PORT, () => startHttp(system, has("web"), options));
    const { port, answer, pages, close } = http;
    metrics = await listenAt("METRICS_PORT", "127.0.0.1", METRICS_PORT, () => listenForMetrics(system));
    const smtp = has("smtp")
      ? await listenAt("SMTP_PORT", HOST, SMTP_PORT, () => startSmtp({ ...system, ...system.doors }))
      : undefined;
    for (const own of [http, metrics, smtp].filter((one) => one !== undefined)) system.ownPorts.add(own.port);
    const work = startWork(system, dispatcher, has("worker"));
    const stop = async () => {
      system.feed.stop();
      work.watching.stop();
      metrics?.close();
      await Promise.all([close(), smtp?.close()]);
      await work.stop();
      await assembled.close();
    };
    return { system, port, smtpPort: smtp?.port, metricsPort: metrics?.port, answer, pages, stop };
  } catch (error) {
    metrics?.close();
    await http?.close();
    await assembled.close();
    throw error;
  }
}

async function checkThenListen(system: Ctx<System>): Promise<void> {
  await Promise.all([checkBlobs(system), checkKey(system)]);
  await system.signals.listen();
}

/** The work that no caller waits for. */
function startWork(system: Ctx<System>, dispatcher: Assembled["dispatcher"], isWorker: boolean) {
  const delivering = dispatcher && startDelivering(system, dispatcher);
  const worker = isWorker ? startWorker(system.signals, system.log, jobsOf(system)) : undefined;
  const watching = watchFacilitator(system);
  return { watching, stop: () => Promise.all([worker?.stop(), delivering?.stop()]) };
}

type Http = Pick<Service, "port" | "answer" | "pages"> & { close(): Promise<void> };

/** No server: Next has the port, and its route handlers ask `answer`. */
function inNext(system: Ctx<System>, web: boolean): Http {
  const { PORT: port, LOCAL_ONLY: localOnly } = system.settings;
  const { answer, close } = createNextDoor(createFrontDoor(system, { api: web, pages: undefined }), {
    port,
    localOnly,
  });
  return { port, answer, pages: Promise.resolve("ready"), close: () => close(HTTP_CLOSE_MS) };
}

async function startHttp(system: Ctx<System>, web: boolean, options: Options): Promise<Http> {
  const { settings, log } = system;
  const pages =
    web && options.pages !== false
      ? startPages({ dev: options.dev ?? false, log, hostname: settings.HOST, port: settings.PORT })
      : undefined;
  const door = createFrontDoor(system, { api: web, pages });
  const sockets = new Set<Socket>();
  door.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  try {
    await listen(door.server, settings.PORT, settings.HOST);
  } catch (error) {
    await pages?.close();
    throw error;
  }
  return {
    port: (door.server.address() as AddressInfo).port,
    answer: undefined,
    pages: pages ? pages.settled.then(pages.state) : Promise.resolve("none"),
    async close() {
      door.drain();
      const closed = new Promise((resolve) => door.server.close(resolve));
      // A busy kept-alive connection becomes idle later and would keep the server open.
      const sweep = setInterval(() => door.server.closeIdleConnections(), HTTP_SWEEP_MS);
      // Sockets, not requests: the server does not track upgraded connections.
      const impatient = setTimeout(() => sockets.forEach((socket) => void socket.destroy()), HTTP_CLOSE_MS);
      await Promise.all([closed, pages?.close()]);
      clearInterval(sweep);
      clearTimeout(impatient);
    },
  };
}
