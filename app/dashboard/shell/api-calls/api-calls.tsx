// The dialog with the calls of the API that do what the page shows, to copy. Their samples are those of the API reference.
"use client";
import { Anchor, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { usePathname, useSearchParams } from "next/navigation";
import { useState } from "react";
import { fetchReference } from "../../../docs/api-document.ts";
import type { Operation } from "../../../docs/document/build-reference.ts";
import { type Sample, samplesOf } from "../../../docs/operation/samples.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/problem.tsx";
import classes from "./api-calls.module.css";
import { callsOfPage } from "./page-calls.ts";

export default function ApiCalls({ onClose }: { onClose: () => void }) {
  const calls = callsOfPage(usePathname(), useSearchParams());
  const [language, setLanguage] = useState("curl");
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["api-document"],
    queryFn: ({ signal }) => fetchReference(signal),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: calls.length > 0,
  });
  const operations = new Map(data?.resources.flatMap((resource) => resource.operations).map((each) => [each.id, each]));
  const shown = calls.flatMap(({ operation, values, body }) => {
    const found = operations.get(operation);
    return found ? [{ operation: found, samples: samplesOf(withBody(found, body), location.origin, values) }] : [];
  });
  // Not every operation has a command.
  const languages = new Set(["curl", ...shown.flatMap(({ samples }) => samples.map(({ label }) => label))]);
  return (
    <Dialog onClose={onClose} title="API calls of this page" size="xl">
      {calls.length === 0 ? (
        <Text size="sm">
          The API has no calls for this page: only members can do this, in the dashboard.{" "}
          <Anchor href="/docs">The API reference</Anchor> lists all calls.
        </Text>
      ) : (
        <>
          <Text size="sm" c="dimmed" mb="sm">
            An agent makes these calls. They have the ids and filters of this page. <code>$KEY</code> is an agent key;
            an agent sees only what its key allows.
          </Text>
          <SegmentedControl
            aria-label="Language"
            size="xs"
            data={[...languages]}
            value={language}
            onChange={setLanguage}
          />
          {error && !data && (
            <Problem error={error} what="The OpenAPI document could not be loaded" retry={refetch} busy={isFetching} />
          )}
          {!error && !data && <Skeleton height={180} mt="md" radius="md" />}
          {shown.map(({ operation, samples }) => (
            <Call
              key={operation.id}
              operation={operation}
              sample={samples.find(({ label }) => label === language) ?? samples[0]}
            />
          ))}
        </>
      )}
    </Dialog>
  );
}

function withBody(operation: Operation, body: object | undefined): Operation {
  if (!body || !operation.body) return operation;
  return { ...operation, body: { ...operation.body, example: JSON.stringify(body, null, 2) } };
}

function Call({ operation: { id, summary }, sample }: { operation: Operation; sample: Sample }) {
  return (
    <section className={classes.call} aria-label={summary}>
      <h3 className={classes.summary}>
        <a href={`/docs#${id}`}>{summary}</a>
      </h3>
      <CodeBlock samples={[sample]} what={`the call ${id}`} />
    </section>
  );
}
