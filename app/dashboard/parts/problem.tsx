// <Problem>: shown in place of content that failed to load. Shows what happened, what to do, the request id, and a
// button to try again.
// error the thrown error
// what names the content: "The webhooks could not be loaded." (optional)
// retry for "Try again" (optional)
// busy a retry is running (optional)
"use client";
import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "../../design/icons.tsx";
import { describeFailure } from "./failure.ts";

type Props = { error: unknown; what?: string; retry?: () => void; busy?: boolean };

export function Problem({ error, what, retry, busy = false }: Props) {
  const { message, fix, requestId } = describeFailure(error);
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={what ?? message}>
      <Stack gap="xs" align="flex-start">
        {what && <Text size="sm">{message}</Text>}
        {fix && <Text size="sm">{fix}</Text>}
        {requestId && (
          <Text size="xs" c="dimmed">
            Request <Code>{requestId}</Code>
          </Text>
        )}
        {retry && (
          <Group>
            <Button size="xs" variant="default" onClick={retry} loading={busy}>
              Try again
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
