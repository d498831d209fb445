// How an agent pays, in curl and with the client.
"use client";
import { Title } from "@mantine/core";
import { IconCoins } from "../../design/shell-icons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import type { Organization } from "../settings/with-organization.tsx";
import { networkOf, showUsdc } from "./amount.ts";
import classes from "./payments.module.css";

type Service = Organization["service"];

function curlFor(url: string): string {
  return [
    "# 1. Create a mailbox. The answer is 402; its body says what to pay.",
    `curl -i ${url}/v1/inboxes -H "Authorization: Bearer $AGENT_KEY" \\`,
    `  -H 'Content-Type: application/json' -d '{"username":"billing"}'`,
    "",
    "# 2. Sign the requested EIP-3009 authorization and repeat the request with it. The answer is 201.",
    `curl -i ${url}/v1/inboxes -H "Authorization: Bearer $AGENT_KEY" \\`,
    `  -H 'Content-Type: application/json' -H "PAYMENT-SIGNATURE: $SIGNED" -d '{"username":"billing"}'`,
    "",
    "# Buy several mailboxes in advance:",
    `curl -i ${url}/v1/purchase -H "Authorization: Bearer $AGENT_KEY" \\`,
    `  -H 'Content-Type: application/json' -H "PAYMENT-SIGNATURE: $SIGNED" -d '{"resource":"mailboxes:5"}'`,
  ].join("\n");
}

/** Test dollars are the client's default. */
function clientFor({ public_url, payments }: Service): string {
  const isTest = networkOf(payments.network).isTest;
  const [imported, option] = isTest ? ["", ""] : [", USDC_BASE", ", assets: [USDC_BASE]"];
  return [
    `import { createClient, payingFetch${imported} } from "@mailberth/client";`,
    'import { privateKeyToAccount } from "viem/accounts";',
    "",
    "const account = privateKeyToAccount(process.env.WALLET_KEY);",
    `// At most ${showUsdc(payments.price_per_mailbox)} for one call.`,
    `const fetch = payingFetch(account, { maxAmount: ${payments.price_per_mailbox}n${option} });`,
    `const mail = createClient({ url: "${public_url}", key: process.env.AGENT_KEY, fetch });`,
    'await mail.inboxes.create.mutate({ username: "billing" });',
  ].join("\n");
}

/** @param isFirst nothing was paid yet */
export function HowToPay({ service, isFirst = false }: { service: Service; isFirst?: boolean }) {
  const code = (
    <CodeBlock
      samples={[
        { label: "curl", code: curlFor(service.public_url) },
        { label: "TypeScript", code: clientFor(service) },
      ]}
      what="how an agent pays"
    />
  );
  if (isFirst) {
    return (
      <EmptyState icon={IconCoins} title="No payments yet" code={code}>
        When an agent creates a mailbox, the service asks for a payment. The agent signs it and repeats the request, and
        the mailbox is created.
      </EmptyState>
    );
  }
  return (
    <section className={classes.how}>
      <Title order={2}>How an agent pays</Title>
      {code}
    </section>
  );
}
