// Which notices the member gets, and where: by mail, in a chat, in this browser.
"use client";
import { Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { later } from "../../parts/later.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Unloaded } from "../../parts/unloaded.tsx";
import { useTRPC } from "../../trpc.ts";
import classes from "../settings.module.css";
import { BrowserSwitch } from "./browser-switch.tsx";

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
