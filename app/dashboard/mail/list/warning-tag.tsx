// The mark of mail that a person should be careful with, in lists. Opened, the mail says more (thread/verdict.tsx).
import { IconAlertTriangle } from "../../../design/shell-icons.tsx";
import type { Outputs } from "../../trpc.ts";
import classes from "./list.module.css";

export type Warning = NonNullable<Outputs["messages"]["list"]["data"][number]["warning"]>;

const WORDS: Record<Warning, string> = {
  hidden_instructions: "Instructs AI, hidden",
  dmarc_failed: "Forged sender",
  suspicious_links: "Suspicious link",
  misleading_sender: "Misleading sender",
  instructions: "Instructs AI",
  hidden_text: "Hidden text",
};

export function WarningTag({ warning }: { warning: Warning }) {
  return (
    <span className={classes.warning}>
      <IconAlertTriangle size={13} aria-hidden />
      {WORDS[warning]}
    </span>
  );
}
