// One line about who sent a message, calm when nothing is wrong; the single checks and reasons for caution on request.
"use client";
import { Badge, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconShieldCheck, IconShieldQuestion } from "../../../design/icons.tsx";
import { IconAlertTriangle } from "../../../design/shell-icons.tsx";
import { isBeingJudged, type Message } from "./message.ts";
import classes from "./thread.module.css";

type Security = NonNullable<Message["security"]>;

const COLORS: Record<string, string> = { pass: "green", fail: "red", softfail: "orange", permerror: "orange" };
const LINKS_SHOWN = 5;

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1) || address;
}

function senderText(message: Message): { tone: "good" | "unknown" | "bad"; words: string } {
  const { authentication, from } = message;
  if (isBeingJudged(message)) return { tone: "unknown", words: "The sender of this message is being checked." };
  if (authentication?.local_sender) {
    return { tone: "good", words: `This service delivered it from its mailbox ${authentication.local_sender}.` };
  }
  if (!authentication) return { tone: "unknown", words: "The sender of this message was not checked." };
  if (authentication.dmarc === "fail") {
    return { tone: "bad", words: `This is probably not from ${domainOf(from)}: its DMARC check failed.` };
  }
  if (authentication.aligned_from) return { tone: "good", words: `${domainOf(from)} authenticated this mail.` };
  return {
    tone: "unknown",
    words: `It is not proven that ${domainOf(from)} sent this mail.`,
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

/** The gravest thing of a message that needs care; undefined if that is its sender. */
function warning({
  hiding,
  instructions,
  multiple_from,
  misleading_from,
  suspicious_links,
}: Security): string | undefined {
  if (instructions === "hidden") return "Be careful: this mail has hidden instructions to an AI assistant.";
  if (hiding === "deceptive") return "Be careful: this mail hides text from people.";
  if (suspicious_links.length > 0) return "Be careful: a link of this mail is suspicious.";
  if (multiple_from) return "Be careful: this mail names more than one sender.";
  if (misleading_from.length > 0) return "Be careful: this mail shows another sender than its address.";
  if (instructions === "visible") return "Be careful: this mail gives instructions to an AI assistant.";
  return undefined;
}

function cautions({ first_contact, multiple_from, misleading_from, hiding, instructions }: Security): string[] {
  return [
    ...(first_contact ? ["First mail from this sender to this inbox."] : []),
    ...(multiple_from ? ["It names more than one sender. Another program may show a different one."] : []),
    ...misleading_from.map((sentence) => `${sentence}.`),
    ...HIDING[hiding],
    ...INSTRUCTIONS[instructions],
  ];
}

const SHAPES = { good: IconShieldCheck, unknown: IconShieldQuestion, care: IconAlertTriangle, bad: IconAlertTriangle };

/** What is worth a look although the sender is not proven false. */
function needsCare({ hiding, instructions, multiple_from, misleading_from, suspicious_links }: Security): boolean {
  const misleads = misleading_from.length > 0 || suspicious_links.length > 0;
  return hiding === "deceptive" || instructions !== "none" || multiple_from || misleads;
}

function toneOf(tone: "good" | "unknown" | "bad", security: Security | null): keyof typeof SHAPES {
  if (tone === "bad" || security?.risk === "high") return "bad";
  return security && needsCare(security) ? "care" : tone;
}

export function Verdict({ message }: { message: Message }) {
  const { authentication, security } = message;
  const sender = senderText(message);
  const tone = toneOf(sender.tone, security);
  const [isOpen, details] = useDisclosure(tone === "bad" || tone === "care");
  const warned = security && sender.tone !== "bad" && tone !== sender.tone ? warning(security) : undefined;
  const Shape = SHAPES[tone];
  // Mail from inside has none of them.
  const checks =
    authentication &&
    !authentication.local_sender &&
    (["spf", "dkim", "dmarc", "arc"] as const).filter((name) => name in authentication);
  return (
    <div className={classes.verdict} data-tone={tone}>
      <UnstyledButton className={classes.sender} onClick={details.toggle} aria-expanded={isOpen}>
        <Shape size={16} aria-hidden />
        <span>{warned ?? sender.words}</span>
        <span className={classes.more}>{isOpen ? "Hide details" : "Details"}</span>
      </UnstyledButton>
      {isOpen && authentication && checks && (
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
      {isOpen && security && <Cautions security={security} first={warned && sender.words} />}
    </div>
  );
}

/** @param first what the line above did not say of the sender */
function Cautions({ security, first }: { security: Security; first: string | undefined }) {
  const { suspicious_links: links } = security;
  const notes = [...(first ? [first] : []), ...cautions(security)];
  if (notes.length === 0 && links.length === 0) return null;
  return (
    <ul className={classes.cautions}>
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
      {links.slice(0, LINKS_SHOWN).map((link) => (
        <li key={link}>A link {link}</li>
      ))}
      {links.length > LINKS_SHOWN && <li>{links.length - LINKS_SHOWN} more such links.</li>}
    </ul>
  );
}
