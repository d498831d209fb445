// The open invitations, for admins and owners; each can be withdrawn.
"use client";
import { Button, Table, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Time } from "../../parts/time.tsx";
import { failed, succeeded } from "../../parts/toast.tsx";
import { useMayAct } from "../../session/member.tsx";
import { type Outputs, useTRPC } from "../../trpc.ts";
import classes from "../settings.module.css";
import { RoleBadge } from "./roles.tsx";

type Invitation = Outputs["team"]["members"]["invitations"][number];

export function Invitations({ invitations }: { invitations: Invitation[] }) {
  return (
    <>
      <Title order={2} className={classes.section}>
        Open invitations
      </Title>
      {invitations.length === 0 ? (
        <Text c="dimmed">No open invitations. An invitation expires after seven days.</Text>
      ) : (
        <div className={classes.frame}>
          <Table horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Invited</Table.Th>
                <Table.Th scope="col">Role</Table.Th>
                <Table.Th scope="col" className={classes.wide}>
                  By
                </Table.Th>
                <Table.Th scope="col" className={classes.wide}>
                  Ends
                </Table.Th>
                <Table.Th scope="col" aria-label="Withdraw" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {invitations.map((invitation) => (
                <Row key={invitation.email} invitation={invitation} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </>
  );
}

function Row({ invitation }: { invitation: Invitation }) {
  const { email, role, invited_by, expires_at } = invitation;
  const isOwner = useMayAct("owner");
  const trpc = useTRPC();
  const queries = useQueryClient();
  const withdraw = useMutation(
    trpc.team.cancelInvitation.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries(trpc.team.members.pathFilter());
        succeeded(`The invitation of ${email} was withdrawn`);
      },
      onError: (error) => failed(error, "The invitation was not withdrawn"),
    }),
  );
  const isHeld = role === "owner" && !isOwner;
  return (
    <Table.Tr>
      <Table.Td>
        <span className={classes.person}>{email}</span>
        <span className={classes.narrow}>
          <span className={classes.hint}>
            Ends <Time at={expires_at} plain />
          </span>
        </span>
      </Table.Td>
      <Table.Td>
        <RoleBadge role={role} />
      </Table.Td>
      <Table.Td className={classes.wide}>{invited_by}</Table.Td>
      <Table.Td className={classes.wide}>
        <Time at={expires_at} plain />
      </Table.Td>
      <Table.Td className={classes.end}>
        <Button
          size="xs"
          variant="default"
          aria-label={`Withdraw the invitation of ${email}`}
          title={isHeld ? "Only an owner can withdraw the invitation of an owner." : undefined}
          disabled={isHeld}
          loading={withdraw.isPending}
          onClick={() => withdraw.mutate({ email })}
        >
          Withdraw
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
