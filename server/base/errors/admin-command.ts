// How an operator calls `server/admin.ts`, for messages that say what to call.

/** The source is run by a script of npm; the package and the image, which hold JavaScript, have a command. */
export const ADMIN_COMMAND = import.meta.url.endsWith(".ts") ? "npm run -s admin --" : "npx mailberth admin";
