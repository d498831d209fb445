// Shown while there is no mailbox: how agents and people create one.
"use client";
import { Button } from "@mantine/core";
import { IconInbox } from "../../design/shell-icons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { EmptyState } from "../parts/empty-state.tsx";

function curl(origin: string): string {
  return `curl -s ${origin}/v1/inboxes \\
  -H "Authorization: Bearer $AGENT_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"display_name": "Scout"}'`;
}

function typescript(origin: string): string {
  return `import { createClient } from "@mailberth/client";

const mail = createClient({ url: "${origin}", key: process.env.AGENT_KEY });
const inbox = await mail.inboxes.create.mutate({ display_name: "Scout" });`;
}

export default function NoInboxes({ onCreate }: { onCreate: () => void }) {
  const { origin } = location;
  return (
    <EmptyState
      icon={IconInbox}
      title="No inbox yet"
      action={<Button onClick={onCreate}>Create inbox</Button>}
      code={
        <CodeBlock
          what="the call that creates an inbox"
          samples={[
            { label: "curl", code: curl(origin) },
            { label: "TypeScript", code: typescript(origin) },
          ]}
        />
      }
    >
      Agents create inboxes with one API call, using their agent key. The inbox can receive mail immediately. You can
      also create one here, for your team or to try it out.
    </EmptyState>
  );
}
