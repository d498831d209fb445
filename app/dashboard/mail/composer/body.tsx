// <Body>: the text of the message, plain or formatted. Formatting that plain text cannot have is kept until the text changes.
"use client";
import { Button, Textarea } from "@mantine/core";
import { useRef, useState } from "react";
import { later } from "../../parts/later.ts";
import { TableSkeleton } from "../../parts/table-skeleton.tsx";
import classes from "./composer.module.css";
import type { Draft, Field } from "./draft.ts";
import type { Writing } from "./kinds.ts";
import { htmlOf } from "./rich/plain.ts";
import type { Formatted } from "./rich/rich-text.tsx";

const RichText = later(
  () => import("./rich/rich-text.tsx"),
  () => <TableSkeleton label="Loading the editor" columns={1} />,
);

const PLACEHOLDERS = { new: "", reply: "Your reply", forward: "Your message", draft: "" };

type Props = {
  writing: Writing;
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  issueOf: (field: Field) => string | undefined;
};

export function Body({ writing, draft: { text, html }, change, issueOf }: Props) {
  const { kind } = writing;
  const formatted = useRef<Formatted>(undefined);
  const [wasSwitched, setSwitched] = useState(false);

  function toRich() {
    const isSame = formatted.current?.text === text;
    setSwitched(true);
    change({ html: isSame ? formatted.current?.html : text === "" ? "" : htmlOf(text) });
  }

  function toPlain() {
    formatted.current = { html: html ?? "", text };
    change({ html: null });
  }

  if (html !== null) {
    return (
      <RichText
        html={html}
        onChange={change}
        error={issueOf("html") ?? issueOf("text")}
        isStored={writing.kind === "draft" && html === writing.stored.html}
        isFocused={wasSwitched}
      >
        <Button size="compact-xs" variant="subtle" color="gray" onClick={toPlain}>
          Plain text
        </Button>
      </RichText>
    );
  }
  return (
    <div className={classes.body}>
      <Textarea
        label="Message"
        required={kind !== "forward"}
        rows={6}
        dir="auto"
        placeholder={PLACEHOLDERS[kind]}
        value={text}
        onChange={(event) => change({ text: event.currentTarget.value })}
        error={issueOf("text")}
        {...(kind === "reply" && { "data-autofocus": true })}
      />
      <Button size="compact-xs" variant="subtle" color="gray" className={classes.switch} onClick={toRich}>
        Rich text
      </Button>
    </div>
  );
}
