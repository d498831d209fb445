// Which notices the member gets, and where: by mail, in a chat, in this browser.
"use client";
import { Alert, Button, Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { later } from "../../parts/later.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Unloaded } from "../../parts/unloaded.tsx";
import { turnBrowserNotices, useBrowserNotices } from "../../session/browser-notices.ts";
import { useTRPC } from "../../trpc.ts";
import classes from "../settings.module.css";

const HEIGHT = 487;
const Places = later(
  () => import("./places.tsx"),
  () => <Skeleton height={HEIGHT} radius="lg" />,
);

export default function NoticesPage() {
  const trpc = useTRPC();
  const list = useQuery(trpc.notices.list.queryOptions());
  return (
    <>
      <PageHeader
        title="Notices"
        description="Which notices you get, and where. The addresses under Organization get all of them by mail."
      />
      <Unloaded query={list} what="notices" skeleton={<Skeleton height={HEIGHT} radius="lg" />} />
      {list.data && <Reach sendsMail={list.data.sends_mail} reached={list.data.reached_topics.length > 0} />}
      {list.data && <Places routes={list.data.data} />}
      <section className={classes.panel}>
        <Title order={2}>In this browser</Title>
        <Text size="sm" c="dimmed" mt={4} mb="md">
          While the dashboard is open in a tab that you do not look at: new mail in the inbox that it shows, disabled
          webhooks and lost domains.
        </Text>
        <BrowserSwitch />
      </section>
    </>
  );
}

function Reach({ sendsMail, reached }: { sendsMail: boolean; reached: boolean }) {
  if (sendsMail && reached) return null;
  return (
    <Alert color="yellow" title={reached ? "No mail leaves this service" : "No notices are sent"} mb="lg">
      {sendsMail
        ? "Choose below what to get by mail, so that a waiting message or a disabled webhook is not missed."
        : "This service sends no mail (OUTBOUND=local). Only chats and browsers get notices: add one below."}
    </Alert>
  );
}

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

/** Turns the notices of this browser on and off. Turning them on asks for permission and shows a first one. */
function BrowserSwitch() {
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
