// Says before sending what would refuse the message: the cap, a suppression, a list, a domain that is not ready.
"use client";
import { Alert, List, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { IconAlertTriangle } from "../../../design/shell-icons.tsx";
import { type Outputs, useTRPCClient } from "../../trpc.ts";
import type { Draft } from "./draft.ts";
import { itselfOf, type Writing } from "./kinds.ts";
import { refusalWords } from "./refusal-words.ts";

const TYPING_MS = 700;
const FRESH_MS = 60_000;

type DryRun = Outputs["messages"]["checkSend"];

export function Checks({ writing, draft, sendAt }: { writing: Writing; draft: Draft; sendAt: string | undefined }) {
  const client = useTRPCClient();
  const { to, cc, bcc, all } = draft;
  const [people] = useDebouncedValue(JSON.stringify({ to, cc, bcc, all }), TYPING_MS);
  const later = sendAt === undefined ? {} : { send_at: sendAt };
  const { data } = useQuery<DryRun>({
    queryKey: ["check", writing.kind, writing.inbox, writing.kind === "reply" ? writing.id : "", people, sendAt],
    queryFn: () => {
      const chosen = JSON.parse(people) as Pick<Draft, "to" | "cc" | "bcc" | "all">;
      const { all: reply_all, ...recipients } = chosen;
      // The text decides nothing here.
      const itself = itselfOf(writing);
      if (itself && chosen.to.length === 0)
        return client.messages.checkSend.mutate({ addr: writing.inbox, to: itself, text: "-", ...later });
      if (writing.kind === "reply" && chosen.to.length === 0)
        return client.messages.checkReply.mutate({ id: writing.id, text: "-", reply_all, ...later });
      return client.messages.checkSend.mutate({ addr: writing.inbox, ...recipients, text: "-", ...later });
    },
    enabled: writing.kind === "reply" || (JSON.parse(people) as Draft).to.length > 0,
    staleTime: FRESH_MS,
    retry: false,
  });
  const refusals = data?.refusals ?? [];
  if (refusals.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="This would not be sent now" role="status">
      <List size="sm" spacing={4}>
        {refusals.map((refusal) => {
          const { what, fix } = refusalWords(refusal);
          return (
            <List.Item key={refusal.code}>
              {what}{" "}
              <Text span size="sm" c="dimmed">
                {fix}
              </Text>
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
}
