// Explains to people why an inbox was not created, and what to do: the service's own fixes are for agents.
"use client";
import { Alert, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { describeFailure } from "../parts/failure.ts";
import { Problem } from "../parts/problem.tsx";

const ADVICE: Record<string, string> = {
  payment_required:
    "Your organization pays for each inbox, and no prepaid inbox is left. An agent with a wallet must create the inbox, or buy inboxes first with POST /v1/purchase.",
  enrollment_token_exhausted:
    "Choose another key, or ask an admin to issue one. Deleting an inbox does not free quota.",
  enrollment_key_not_found: "Choose another key.",
  address_taken: "Choose another name before the @. An address is never issued again, even after it was deleted.",
  domain_not_allowed: "Choose one of the domains that the key allows.",
  payment_pending: "A payment for this inbox is being settled. Wait a few seconds, then try again.",
};

export function CreateProblem({ error }: { error: unknown }) {
  const { code, message } = describeFailure(error);
  const advice = code && ADVICE[code];
  if (!advice) return <Problem error={error} />;
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={message}>
      <Stack gap="xs">
        <Text size="sm">{advice}</Text>
      </Stack>
    </Alert>
  );
}
