// Lists all endpoints of the OpenAPI document.
"use client";
import { partsOf } from "./design/text-parts.ts";
import { DOCUMENT_PATH, type Endpoint, useService } from "./service-document.ts";
import { Unavailable } from "./unavailable.tsx";

const SKELETON_ROWS = ["first", "second", "third", "fourth", "fifth"];

function byGroup(endpoints: Endpoint[]): [string, Endpoint[]][] {
  return [...Map.groupBy(endpoints, (endpoint) => endpoint.group)];
}

/** Allows a line break after every slash, so that `/v1/inboxes/{addr}` fits on a narrow screen. */
function Path({ path }: { path: string }) {
  return (
    <code>
      {partsOf(path, /(?<=\/)/).map(({ start, part }) => (
        <span key={start} className={part.startsWith("{") ? "parameter" : undefined}>
          {part}
          <wbr />
        </span>
      ))}
    </code>
  );
}

function Table({ endpoints }: { endpoints: Endpoint[] }) {
  return (
    <table className="endpoints">
      <thead>
        <tr>
          <th scope="col">Method</th>
          <th scope="col">Path</th>
          <th scope="col">What it does</th>
        </tr>
      </thead>
      {byGroup(endpoints).map(([group, members]) => (
        <tbody key={group}>
          <tr className="group">
            <th scope="rowgroup" colSpan={3}>
              {group}
            </th>
          </tr>
          {members.map((endpoint) => (
            <tr key={`${endpoint.method} ${endpoint.path}`}>
              <td>
                <span className="method" data-method={endpoint.method}>
                  {endpoint.method}
                </span>
              </td>
              <td>
                <Path path={endpoint.path} />
              </td>
              <td>
                {endpoint.summary}
                {!endpoint.needsKey && <span className="tag">no key</span>}
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

export function Endpoints() {
  const { data, error, refetch, isFetching } = useService();
  return (
    <section id="endpoints" aria-labelledby="endpoints-title">
      <h2 id="endpoints-title">Endpoints</h2>
      <p className="section-lede">
        As <a href={DOCUMENT_PATH}>the OpenAPI document</a> has them{data && `, version ${data.version}`}: fields,
        statuses and errors are documented there.
      </p>
      {error && <Unavailable what="The list of endpoints" error={error} retry={() => refetch()} busy={isFetching} />}
      {!error && !data && (
        <div aria-busy="true" className="skeletons">
          {SKELETON_ROWS.map((row) => (
            <span key={row} className="skeleton row" />
          ))}
        </div>
      )}
      {data && data.endpoints.length === 0 && <p className="note">The document lists no endpoint.</p>}
      {data && data.endpoints.length > 0 && <Table endpoints={data.endpoints} />}
    </section>
  );
}
