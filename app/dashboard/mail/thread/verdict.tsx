// Explains in plain words who sent a message and what to be careful about, with the single checks below.
"use client";
import { Badge } from "@mantine/core";
import { IconAlertTriangle, IconShieldCheck, IconShieldQuestion } from "../../../design/icons.tsx";
import type { Message } from "./message.ts";
import classes from "./thread.module.css";

type Authentication = NonNullable<Message["authentication"]>;
type Security = NonNullable<Message["security"]>;

const COLORS: Record<string, string> = { pass: "green", fail: "red", softfail: "orange", permerror: "orange" };
const LINKS_SHOWN = 5;

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1) || address;
}

function senderText(authentication: Authentication | null, from: string) {
  if (!authentication) return { tone: "unknown", words: "The sender of this message was not checked." };
  if (authentication.dmarc === "fail") {
    return { tone: "bad", words: `This is probably not from ${domainOf(from)}: its DMARC check failed.` };
  }
  if (authentication.aligned_from) return { tone: "good", words: `${domainOf(from)} authenticated this mail.` };
  return {
    tone: "unknown",
    words: `It is not proven that this is from ${domainOf(from)}: anyone could have written it.`,
  };
}

const HIDING: Record<Security["hiding"], string[]> = {
  none: [],
  usual: ["It has hidden text, for example the preview line of a newsletter. A program may read it."],
  deceptive: ["It hides text from people. A program may read it."],
};
const INSTRUCTIONS: Record<Security["instructions"], string[]> = {
  none: [],
  visible: ["It has phrases that give instructions to an AI assistant."],
  hidden: ["It has hidden instructions to an AI assistant."],
};

function cautions({ first_contact, multiple_from, hiding, instructions }: Security): string[] {
  return [
    ...(first_contact ? ["First mail from this sender to this inbox."] : []),
    ...(multiple_from ? ["It names more than one sender. Another program may show a different one."] : []),
    ...HIDING[hiding],
    ...INSTRUCTIONS[instructions],
  ];
}

const RISKS = {
  low: { color: "gray", words: "Low risk" },
  medium: { color: "yellow", words: "Medium risk" },
  high: { color: "red", words: "High risk" },
} as const;

export function Verdict({ message }: { message: Message }) {
  const { authentication, security, from, direction } = message;
  if (direction === "outbound") return null;
  const { tone, words } = senderText(authentication, from);
  const Shape = tone === "good" ? IconShieldCheck : tone === "bad" ? IconAlertTriangle : IconShieldQuestion;
  const risk = security && RISKS[security.risk];
  const checks = authentication && (["spf", "dkim", "dmarc", "arc"] as const).filter((name) => name in authentication);
  return (
    <div className={classes.verdict} data-tone={security?.risk === "high" ? "bad" : tone}>
      <div className={classes.sender}>
        <Shape size={18} aria-hidden />
        <span>{words}</span>
        {risk && (
          <Badge size="sm" variant="light" color={risk.color}>
            {risk.words}
          </Badge>
        )}
      </div>
      {authentication && checks && (
        <ul className={classes.checks} aria-label="Checks of the sender">
          {checks.map((name) => (
            <li key={name}>
              <Badge size="sm" variant="light" color={COLORS[authentication[name]] ?? "gray"}>
                {name.toUpperCase()} {authentication[name]}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {security && <Cautions security={security} />}
    </div>
  );
}

function Cautions({ security }: { security: Security }) {
  const { suspicious_links: links } = security;
  const notes = cautions(security);
  if (notes.length === 0 && links.length === 0) return null;
  return (
    <ul className={classes.cautions}>
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
      {links.slice(0, LINKS_SHOWN).map((link) => (
        <li key={link}>
          A link <code className={classes.link}>{link}</code>
        </li>
      ))}
      {links.length > LINKS_SHOWN && <li>{links.length - LINKS_SHOWN} more such links.</li>}
    </ul>
  );
}
