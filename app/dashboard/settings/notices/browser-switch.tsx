// Turns the notices of this browser on and off. Turning them on asks for permission and shows a first one.
"use client";
import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { turnBrowserNotices, useBrowserNotices } from "../../session/browser-notices.ts";

/** Undefined: they work. */
async function problemOfAsking(): Promise<string | undefined> {
  if (typeof Notification === "undefined") return "This browser shows no notices here. Open the dashboard by https.";
  if ((await Notification.requestPermission()) !== "granted") {
    return "The browser does not allow notices of this site. Allow them in its settings for this site, then try again.";
  }
  try {
    new Notification("Notices are on", { body: "This browser shows them.", tag: "notices-on" });
  } catch (error) {
    return `This browser shows no notices of pages: ${error instanceof Error ? error.message : error}`;
  }
}

export function BrowserSwitch() {
  const isOn = useBrowserNotices();
  const [problem, setProblem] = useState<string>();

  async function turnOn() {
    const found = await problemOfAsking();
    setProblem(found);
    if (!found) turnBrowserNotices(true);
  }

  return (
    <>
      {isOn ? (
        <Button variant="default" onClick={() => turnBrowserNotices(false)}>
          Turn off browser notifications
        </Button>
      ) : (
        <Button onClick={() => void turnOn()}>Turn on browser notifications</Button>
      )}
      <Text size="sm" mt="sm" role="status">
        {problem}
      </Text>
    </>
  );
}
