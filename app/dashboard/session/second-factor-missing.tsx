// Shown in place of the dashboard while an organization requires a second factor, and the account has none.
"use client";
import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Unloaded } from "../parts/unloaded.tsx";
import shell from "../shell/shell.module.css";
import { leave } from "../shell/user/leave.ts";
import { useTRPC } from "../trpc.ts";
import classes from "./second-factor.module.css";
import { SetUpSecondFactor } from "./set-up-second-factor.tsx";

export default function SecondFactorMissing({ onDone }: { onDone: () => void }) {
  const trpc = useTRPC();
  const factor = useQuery(trpc.team.secondFactor.queryOptions());
  return (
    <main className={shell.alone}>
      <Title order={1}>Set up a second factor</Title>
      <Text mt="sm" mb="lg">
        An organization that you belong to requires it. Your agents and their keys are not affected.
      </Text>
      <section className={classes.card} aria-label="Set-up">
        {factor.data ? (
          <SetUpSecondFactor email={factor.data.email} cancel="Sign out" onCancel={leave} onDone={onDone} />
        ) : (
          <Unloaded query={factor} what="account" />
        )}
      </section>
    </main>
  );
}
