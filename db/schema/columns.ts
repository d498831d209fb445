// Column types that several tables share.
import { customType, timestamp } from "drizzle-orm/pg-core";

export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
export const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
