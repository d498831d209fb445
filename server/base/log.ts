// The log: JSON lines, pretty on a terminal. Bearer keys and secrets never reach it.
import { type Logger, pino } from "pino";

export type { Logger };

/** A logger at `level`; `pretty` writes for a person at a terminal. */
export function createLog(level: string, pretty: boolean): Logger {
  return pino({
    level,
    base: undefined,
    // pino knows `err` alone; an Error under any other name would be logged as {}.
    serializers: { error: pino.stdSerializers.err },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ["authorization", "*.authorization", "headers.authorization", "token", "secret", "key"],
    ...(pretty && {
      transport: {
        target: "pino-pretty",
        options: { colorize: true, translateTime: "HH:MM:ss.l", ignore: "hostname" },
      },
    }),
  });
}
