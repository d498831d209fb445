// The buttons that format what is selected, and the field for the address of a link.
"use client";
import { ActionIcon, Button, Group, TextInput } from "@mantine/core";
import { type Editor, useEditorState } from "@tiptap/react";
import { type ReactNode, useState } from "react";
import {
  type Icon,
  IconBlockquote,
  IconBold,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconUnderline,
} from "./icons.tsx";
import classes from "./rich-text.module.css";

const SCHEME = /^\s*[a-z][a-z\d+.-]*:/i;
const LINKED = /^(https?|mailto):./i;

type Format = { name: string; label: string; keys: string; icon: Icon; toggle: (editor: Editor) => void };

const FORMATS: Format[] = [
  {
    name: "bold",
    label: "Bold",
    keys: "Ctrl+B",
    icon: IconBold,
    toggle: (editor) => editor.chain().focus().toggleBold().run(),
  },
  {
    name: "italic",
    label: "Italic",
    keys: "Ctrl+I",
    icon: IconItalic,
    toggle: (editor) => editor.chain().focus().toggleItalic().run(),
  },
  {
    name: "underline",
    label: "Underline",
    keys: "Ctrl+U",
    icon: IconUnderline,
    toggle: (editor) => editor.chain().focus().toggleUnderline().run(),
  },
  {
    name: "bulletList",
    label: "List",
    keys: "Ctrl+Shift+8",
    icon: IconList,
    toggle: (editor) => editor.chain().focus().toggleBulletList().run(),
  },
  {
    name: "orderedList",
    label: "Numbered list",
    keys: "Ctrl+Shift+7",
    icon: IconListNumbers,
    toggle: (editor) => editor.chain().focus().toggleOrderedList().run(),
  },
  {
    name: "blockquote",
    label: "Quote",
    keys: "Ctrl+Shift+B",
    icon: IconBlockquote,
    toggle: (editor) => editor.chain().focus().toggleBlockquote().run(),
  },
];

/** @param children more, at the end of the bar */
export function Toolbar({ editor, children }: { editor: Editor; children: ReactNode }) {
  const [address, setAddress] = useState<string>();
  const active = useEditorState({
    editor,
    selector: ({ editor: changed }) =>
      [...FORMATS.map(({ name }) => name), "link"].filter((name) => changed.isActive(name)),
  });

  return (
    <>
      <div role="toolbar" aria-label="Formatting" className={classes.bar}>
        {FORMATS.map(({ name, label, keys, icon: Drawn, toggle }) => (
          <ActionIcon
            key={name}
            variant={active.includes(name) ? "light" : "subtle"}
            color={active.includes(name) ? undefined : "gray"}
            aria-label={label}
            aria-pressed={active.includes(name)}
            title={`${label} (${keys})`}
            onClick={() => toggle(editor)}
          >
            <Drawn size={17} aria-hidden />
          </ActionIcon>
        ))}
        <ActionIcon
          variant={active.includes("link") ? "light" : "subtle"}
          color={active.includes("link") ? undefined : "gray"}
          aria-label="Link"
          aria-pressed={active.includes("link")}
          aria-expanded={address !== undefined}
          title="Link"
          onClick={() =>
            setAddress(address === undefined ? String(editor.getAttributes("link").href ?? "") : undefined)
          }
        >
          <IconLink size={17} aria-hidden />
        </ActionIcon>
        <span className={classes.end}>{children}</span>
      </div>
      {address !== undefined && <LinkField editor={editor} begin={address} onDone={() => setAddress(undefined)} />}
    </>
  );
}

function LinkField({ editor, begin, onDone }: { editor: Editor; begin: string; onDone: () => void }) {
  const [address, setAddress] = useState(begin);
  const [isRefused, setRefused] = useState(false);

  function set() {
    const href = SCHEME.test(address) ? address.trim() : `https://${address.trim()}`;
    if (!LINKED.test(href)) return setRefused(true);
    const chain = editor.chain().focus().extendMarkRange("link");
    const isNew = editor.state.selection.empty && begin === "";
    if (isNew) chain.insertContent({ type: "text", text: href, marks: [{ type: "link", attrs: { href } }] }).run();
    else chain.setLink({ href }).run();
    onDone();
  }

  function remove() {
    editor.chain().focus().extendMarkRange("link").unsetLink().run();
    onDone();
  }

  return (
    <Group gap="xs" align="flex-start" className={classes.link}>
      <TextInput
        aria-label="Address of the link"
        placeholder="https://example.com"
        size="xs"
        className={classes.address}
        value={address}
        data-autofocus
        autoFocus
        error={isRefused && "A link begins with https:, http: or mailto:."}
        onChange={(event) => setAddress(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation();
            onDone();
          }
          if (event.key !== "Enter") return;
          // Enter in a field would send the message.
          event.preventDefault();
          set();
        }}
      />
      <Button size="xs" variant="default" disabled={address.trim() === ""} onClick={set}>
        Set link
      </Button>
      {begin !== "" && (
        <Button size="xs" variant="subtle" color="gray" onClick={remove}>
          Remove link
        </Button>
      )}
    </Group>
  );
}
