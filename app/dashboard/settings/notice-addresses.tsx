// Which addresses of the organization get notices, and which have not confirmed yet. Owners send the letter again.
"use client";
import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import shared from "../../design/shared.module.css";
import { failed, succeeded } from "../parts/toast.tsx";
import { useMayAct } from "../session/member.tsx";
import { useTRPC } from "../trpc.ts";
import classes from "./settings.module.css";
import type { Organization } from "./with-organization.tsx";

type NoticeAddress = Organization["notice_addresses"][number];

const STATES: Record<NoticeAddress["state"], { label: string; color: string; hint: string }> = {
  member: { label: "Member", color: "teal", hint: "Belongs to a member and gets the notices." },
  confirmed: { label: "Confirmed", color: "teal", hint: "Gets the notices." },
  pending: {
    label: "Pending",
    color: "yellow",
    hint: "Gets no notices until the link in the confirmation letter is opened and confirmed.",
  },
  refused: { label: "Refused", color: "gray", hint: "Gets no notices. The person there refused them." },
};

export function NoticeAddresses({ addresses }: { addresses: NoticeAddress[] }) {
  if (addresses.length === 0) return null;
  return (
    <Stack gap="sm" mt="lg" component="ul" className={classes.addresses} aria-label="Addresses and their states">
      {addresses.map((each) => (
        <OneAddress key={each.address} {...each} />
      ))}
    </Stack>
  );
}

function OneAddress({ address, state, asked_at }: NoticeAddress) {
  const mayAct = useMayAct("owner");
  const { label, color, hint } = STATES[state];
  return (
    <li>
      <Group gap="xs">
        <span className={classes.person}>{address}</span>
        <Badge variant="light" color={color}>
          {label}
        </Badge>
        {mayAct && state === "pending" && <SendAgain address={address} wasAsked={asked_at !== null} />}
      </Group>
      <Text component="span" className={shared.hint}>
        {hint}
      </Text>
    </li>
  );
}

function SendAgain({ address, wasAsked }: { address: string; wasAsked: boolean }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const send = useMutation(
    trpc.organization.sendConfirmation.mutationOptions({
      onSuccess: () => succeeded("The letter will be sent"),
      onError: (error) => failed(error, "The letter was not sent"),
      onSettled: () => queries.invalidateQueries(trpc.organization.pathFilter()),
    }),
  );
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={send.isPending}
      aria-label={`${wasAsked ? "Send the letter again" : "Send the letter"} to ${address}`}
      onClick={() => send.mutate({ address })}
    >
      {wasAsked ? "Send the letter again" : "Send the letter"}
    </Button>
  );
}
