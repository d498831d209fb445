// The endpoint's answer to a test event, and what to do about it.
"use client";
import { Alert, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "../../design/shell-icons.tsx";
import type { Outputs } from "../trpc.ts";
import classes from "./webhooks.module.css";

type Result = Outputs["webhooks"]["test"];

const MEANING: [test: (status: number) => boolean, advice: string][] = [
  [(status) => status === 410, "410 means gone. A delivery that gets this answer disables the webhook immediately."],
  [
    (status) => status === 400 || status === 401 || status === 403,
    "The endpoint seems to refuse the signature. Check the secret that it uses, and try the signature debugger.",
  ],
  [(status) => status === 404 || status === 405, "No route accepts POST at this path. Check the URL and your routes."],
  [(status) => status === 429, "The endpoint is rate limiting. Retries wait for its Retry-After header."],
  [(status) => status >= 500, "Your receiver failed. Check its log."],
  [(status) => status >= 300 && status < 400, "Redirects are not followed. Use the final URL."],
];

/** What to do about an answer that is not a success. */
export function adviceFor(status: number | null): string {
  if (status === null)
    return "Check that the endpoint is running, that its name resolves, and that it answers within 15 seconds.";
  return MEANING.find(([means]) => means(status))?.[1] ?? "Only an answer with 2xx counts as received.";
}

export function TestResult({ result, onClose }: { result: Result; onClose: () => void }) {
  const { delivered, status, duration_ms, error, response_body } = result;
  const answered = status === null ? (error ?? "No answer") : `Answered ${status}`;
  return (
    <Alert
      color={delivered ? "green" : "red"}
      icon={delivered ? <IconCircleCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={delivered ? "The test event was received" : "The test event was not received"}
      role={delivered ? "status" : "alert"}
      withCloseButton
      closeButtonLabel="Close the result of the test"
      onClose={onClose}
      mb="lg"
    >
      <Stack gap="xs">
        <Text size="sm">
          {answered} after {duration_ms.toLocaleString("en")} ms. {!delivered && adviceFor(status)}
        </Text>
        {response_body && <Answer body={response_body} />}
      </Stack>
    </Alert>
  );
}

/** The first KiB of an answer, as text. */
export function Answer({ body }: { body: string }) {
  return (
    <section aria-label="The endpoint's answer">
      <pre className={classes.answer}>{body}</pre>
    </section>
  );
}
