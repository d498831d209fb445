// Shown if the organization does not pay: how an operator changes that.
"use client";
import { IconCoinOff } from "../../design/icons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import type { Organization } from "../settings/with-organization.tsx";
import classes from "./payments.module.css";

const SETTINGS = [
  "# In the settings of the service, then restart it:",
  "PAYMENTS_ENABLED=true",
  "PAYMENTS_RPC_URL=https://…       # JSON-RPC of the network",
  "PAYMENTS_PAY_TO=0x…              # the address that is paid",
  "PAYMENTS_PRICE_PER_MAILBOX=100000 # 0.10 USDC",
];

export function PaymentsOff({ organization }: { organization: Organization }) {
  const { id, service } = organization;
  const { enabled } = service.payments;
  const command = ["# For this organization:", `npm run -s admin -- organizations update ${id} --paid-provisioning on`];
  const lines = enabled ? command : [...SETTINGS, "", ...command];
  return (
    <div className={classes.off}>
      <EmptyState
        icon={IconCoinOff}
        title="Payments are off"
        code={<CodeBlock samples={[{ label: "Shell", code: lines.join("\n") }]} what="what an operator runs" />}
      >
        Your agents create mailboxes within the quota of their enrollment key, without paying.{" "}
        {enabled
          ? "This service accepts payments. The operator can turn them on for your organization:"
          : "The operator can require a payment for each mailbox, by default on a test network:"}
      </EmptyState>
    </div>
  );
}
