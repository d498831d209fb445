// Lists the addresses of this service, each with a copy button, and says whether it is ready.
"use client";
import { CopyButton } from "./copy-button.tsx";
import { DOCUMENT_PATH, type Service, useService } from "./service-document.ts";
import { ServiceHealth } from "./service-health.tsx";
import { Unavailable } from "./unavailable.tsx";

const OUTBOUND = {
  local: "Mail to mailboxes on this service is delivered. All other mail is captured: it is stored and not sent.",
  smtp: "Outbound mail leaves through an SMTP relay.",
  resend: "Outbound mail leaves through Resend.",
} as const;

type Row = { name: string; value: string; note: string; link?: string };

function rows({ baseUrl, smtp, defaultDomain }: Service): Row[] {
  return [
    { name: "REST", value: `${baseUrl}/v1`, note: "JSON in, JSON out. Bearer agent key." },
    { name: "MCP", value: `${baseUrl}/mcp`, note: "The same calls, as tools of an assistant." },
    { name: "tRPC", value: `${baseUrl}/trpc`, note: "The same calls, typed, for TypeScript." },
    { name: "SMTP", value: `${smtp.host}:${smtp.port}`, note: "Receives mail for these mailboxes." },
    { name: "Domain", value: defaultDomain, note: "The domain of mailboxes created without a domain." },
    {
      name: "OpenAPI",
      value: `${baseUrl}${DOCUMENT_PATH}`,
      note: "Every endpoint, field and error, in OpenAPI 3.1.",
      link: DOCUMENT_PATH,
    },
    { name: "Health", value: `${baseUrl}/health`, note: "200 when ready, 503 when not.", link: "/health" },
    { name: "Metrics", value: `${baseUrl}/metrics`, note: "For Prometheus.", link: "/metrics" },
  ];
}

const WAITING = ["REST", "MCP", "tRPC", "SMTP", "Domain", "OpenAPI", "Health", "Metrics"];

export function Addresses() {
  const { data, error, refetch, isFetching } = useService();
  return (
    <section id="addresses" aria-labelledby="addresses-title">
      <h2 id="addresses-title">Addresses</h2>
      <ServiceHealth />
      {data && <p className="section-lede">{OUTBOUND[data.outbound]}</p>}
      {error && (
        <Unavailable what="The service's description" error={error} retry={() => refetch()} busy={isFetching} />
      )}
      {!error && (
        <dl className="addresses" aria-busy={!data}>
          {data
            ? rows(data).map((row) => (
                <div key={row.name}>
                  <dt>{row.name}</dt>
                  <dd>
                    <span className="value">
                      <code>{row.link ? <a href={row.link}>{row.value}</a> : row.value}</code>
                      <CopyButton text={row.value} what={`the ${row.name} address`} />
                    </span>
                    <span className="fine">{row.note}</span>
                  </dd>
                </div>
              ))
            : WAITING.map((name) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <span className="skeleton" />
                  </dd>
                </div>
              ))}
        </dl>
      )}
    </section>
  );
}
