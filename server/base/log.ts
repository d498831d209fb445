// Creates the logger: JSON lines, or pretty text on a terminal. Bearer keys and secrets are redacted.
import { type Logger, pino } from "pino";

export type { Logger };

/** A logger at `level`; `pretty` prints readable lines for a terminal. */
export function createLog(level: string, pretty: boolean): Logger {
  return pino({
    level,
    base: undefined,
    // pino serializes errors only under `err`; under another key an Error would be logged as {}.
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
