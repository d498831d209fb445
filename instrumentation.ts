// Starts the service inside `next start` and `next dev`. Under `npm start` the service runs already and has a server of its own.
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs" && process.env.MAILBERTH_SERVER !== "own") {
    const { pathToFileURL } = await import("node:url");
    const service = pathToFileURL(`${process.cwd()}/server/boot/in-next.ts`).href;
    // Not bundled: Node reads the TypeScript of the server, so that every module of it exists once.
    const { startInNext } = await import(/* turbopackIgnore: true */ /* webpackIgnore: true */ service);
    await startInNext();
  }
}
