// Which notices the member gets, and where: by mail, in a chat, in this browser.
"use client";
import { Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { later } from "../../parts/later.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Problem } from "../../parts/problem.tsx";
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
  const { data, error, refetch, isFetching } = useQuery(trpc.notices.list.queryOptions());
  return (
    <>
      <PageHeader
        title="Notices"
        description="Which notices you get, and where. The addresses under Organization get all of them by mail."
      />
      {!data && !error && <Skeleton height={HEIGHT} radius="lg" />}
      {!data && error && (
        <Problem error={error} what="Your notices could not be loaded" retry={() => void refetch()} busy={isFetching} />
      )}
      {data && <Places routes={data.data} />}
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
