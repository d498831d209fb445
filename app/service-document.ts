// Fetches the service's OpenAPI document, like any client.
"use client";
import { useQuery } from "@tanstack/react-query";

export const DOCUMENT_PATH = "/v1/openapi.json";

/** The part of the OpenAPI 3.1 document that the pages read. */
type ServiceDocument = {
  info: {
    version: string;
    "x-mailberth"?: {
      smtp_host: string;
      smtp_port: number;
      default_domain: string;
      service_name: string;
      outbound: "local" | "smtp" | "resend";
      webhook_targets: "public" | "any";
    };
  };
  servers?: { url: string }[];
};

export type Service = {
  baseUrl: string;
  version: string;
  smtp: { host: string; port: number };
  defaultDomain: string;
  serviceName: string;
  outbound: "local" | "smtp" | "resend";
  webhookTargets: "public" | "any";
};

async function fetchService(signal: AbortSignal): Promise<Service> {
  const response = await fetch(DOCUMENT_PATH, { signal, headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${DOCUMENT_PATH} answered ${response.status}`);
  const document = (await response.json()) as ServiceDocument;
  const about = document.info["x-mailberth"];
  if (!about) throw new Error(`${DOCUMENT_PATH} has no address of this service (info.x-mailberth)`);
  return {
    baseUrl: (document.servers?.[0]?.url ?? window.location.origin).replace(/\/$/, ""),
    version: document.info.version,
    smtp: { host: about.smtp_host, port: about.smtp_port },
    defaultDomain: about.default_domain,
    serviceName: about.service_name,
    outbound: about.outbound,
    webhookTargets: about.webhook_targets,
  };
}

/** The document changes only when the service restarts. */
export function useService() {
  return useQuery({
    queryKey: ["service"],
    queryFn: ({ signal }) => fetchService(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
