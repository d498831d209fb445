// Facts about the service that people need: SMTP address, domain, names.
import type { Settings } from "../base/env.ts";

const EVERY_ADDRESS = ["0.0.0.0", "::"];

/** `info.x-mailberth` of the OpenAPI document, and the dashboard's settings. It contains no secrets. */
export function serviceFacts(settings: Settings) {
  return {
    smtp_host: EVERY_ADDRESS.includes(settings.HOST) ? settings.SMTP_HOSTNAME : settings.HOST,
    smtp_port: settings.SMTP_PORT,
    default_domain: settings.DEFAULT_DOMAIN,
    service_name: settings.SERVICE_NAME,
    outbound: settings.OUTBOUND,
    webhook_targets: settings.WEBHOOK_TARGETS,
  };
}
