// The body of a message: its HTML, its text, its source.
"use client";
import { Tabs } from "@mantine/core";
import { HtmlFrame } from "./html-frame.tsx";
import type { Message } from "./message.ts";
import { MessageSource } from "./message-source.tsx";
import classes from "./thread.module.css";

export function MessageBody({ message }: { message: Message }) {
  const { html, text } = message;
  const first = html !== null ? "html" : text !== null ? "text" : "source";
  return (
    <Tabs defaultValue={first} keepMounted={false}>
      <Tabs.List aria-label="Message format">
        {html !== null && <Tabs.Tab value="html">HTML</Tabs.Tab>}
        {text !== null && <Tabs.Tab value="text">Plain text</Tabs.Tab>}
        <Tabs.Tab value="source">Source</Tabs.Tab>
      </Tabs.List>
      {html !== null && (
        <Tabs.Panel value="html" pt="sm">
          <HtmlFrame id={message.id} from={message.from} html={html} seen={message.safe_text?.text ?? text ?? ""} />
        </Tabs.Panel>
      )}
      {text !== null && (
        <Tabs.Panel value="text" pt="sm">
          <pre className={classes.text} dir="auto">
            {text.trim() === "" ? "(the text is empty)" : text}
          </pre>
        </Tabs.Panel>
      )}
      <Tabs.Panel value="source" pt="sm">
        <MessageSource message={message} />
      </Tabs.Panel>
    </Tabs>
  );
}
