// <RichText>: writes a message with formatting. A separate script, because most messages are plain text.
"use client";
import { Input, Text } from "@mantine/core";
import { EditorContent, useEditor } from "@tiptap/react";
import StarterKit from "@tiptap/starter-kit";
import { type ReactNode, useEffect, useRef } from "react";
import { textOf } from "./plain.ts";
import classes from "./rich-text.module.css";
import { Toolbar } from "./toolbar.tsx";

/** What the toolbar can make; whatever else is pasted loses its formatting. */
const EXTENSIONS = [
  StarterKit.configure({
    code: false,
    codeBlock: false,
    heading: false,
    horizontalRule: false,
    strike: false,
    link: { openOnClick: false, defaultProtocol: "https", HTMLAttributes: { target: null, rel: null } },
  }),
];

export type Formatted = { html: string; text: string };
type Props = {
  html: string;
  /** Each change, with its plain text; both are empty when nothing is written. */
  onChange: (content: Formatted) => void;
  error: string | undefined;
  /** The HTML was stored before this form was opened, perhaps by an agent. */
  isStored: boolean;
  isFocused: boolean;
  children: ReactNode;
};

export default function RichText({ html, onChange, error, isStored, isFocused, children }: Props) {
  const written = useRef(html);
  const editor = useEditor({
    extensions: EXTENSIONS,
    content: html,
    // Tiptap would wait, because Next may render on the server; this part never does.
    immediatelyRender: true,
    // It would write a <style>, which the Content-Security-Policy refuses.
    injectCSS: false,
    autofocus: isFocused && "end",
    editorProps: {
      attributes: {
        role: "textbox",
        "aria-multiline": "true",
        "aria-label": "Message",
        dir: "auto",
        class: classes.text ?? "",
      },
    },
    onUpdate({ editor: changed }) {
      written.current = changed.isEmpty ? "" : changed.getHTML();
      onChange({ html: written.current, text: textOf(changed.getJSON()) });
    },
  });
  useEffect(() => {
    // Changed from outside, as by a quote.
    if (html !== written.current) editor.commands.setContent(html, { emitUpdate: true });
  }, [editor, html]);
  const losesParts = isStored && html !== "" && editor.getHTML() !== html;
  return (
    <Input.Wrapper label="Message" labelElement="div" error={error}>
      <div className={classes.editor} data-error={error !== undefined || undefined}>
        <Toolbar editor={editor}>{children}</Toolbar>
        <EditorContent editor={editor} />
      </div>
      {losesParts && (
        <Text size="sm" c="dimmed" role="status">
          This draft has formatting that this editor does not have. It is sent as it is unless you change the message
          here.
        </Text>
      )}
    </Input.Wrapper>
  );
}
