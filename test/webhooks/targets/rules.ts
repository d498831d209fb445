// What decides where webhooks may go, for tests of targets: settings, and no port of a running service.
import { createOwnPorts } from "#server/webhooks/targets/own-ports.ts";

export function rulesOf<Settings>(settings: Settings) {
  const urls = { publicUrl: "http://mailberth.example", databaseUrls: ["postgres:///mailberth"] };
  return { settings, ownPorts: createOwnPorts([], urls) };
}
