// Tells drizzle-kit (`npm run db:generate`) where the schema is and where migrations go.
import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "postgresql", schema: "./db/schema", out: "./db/migrations" });
