// The dialog to invite a person. With OUTBOUND=local it shows the link to pass on.
"use client";
import { Alert, Button, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { IconMailOff } from "../../../design/shell-icons.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { describeFailure } from "../../parts/failure.ts";
import { DialogForm } from "../../parts/form-dialog.tsx";
import { Time } from "../../parts/time.tsx";
import { succeeded } from "../../parts/toast.tsx";
import { useMayAct } from "../../session/member.tsx";
import { type Outputs, useTRPC } from "../../trpc.ts";
import { ROLES, type Role } from "./roles.tsx";

type Invited = Outputs["team"]["invite"];

export default function Invite({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Invite to the team" size="lg">
      <Body onClose={onClose} />
    </Dialog>
  );
}

function Body({ onClose }: { onClose: () => void }) {
  const [invited, setInvited] = useState<Invited | null>(null);
  if (invited?.link) return <HandOver email={invited.email} link={invited.link} until={invited} onClose={onClose} />;
  return <Form onClose={onClose} onInvited={setInvited} />;
}

function Form({ onClose, onInvited }: { onClose: () => void; onInvited: (invited: Invited) => void }) {
  const isOwner = useMayAct("owner");
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const invite = useMutation(
    trpc.team.invite.mutationOptions({
      onSuccess(invited) {
        void queries.invalidateQueries(trpc.team.members.pathFilter());
        onInvited(invited);
        if (invited.link) return;
        succeeded(`The invitation was sent to ${invited.email}`);
        onClose();
      },
    }),
  );
  const issues = invite.error ? describeFailure(invite.error).issues : {};

  return (
    <DialogForm
      hideFailure={issues.email !== undefined}
      acting={invite}
      action="Invite"
      disabled={!email.trim()}
      onAct={() => invite.mutate({ email: email.trim(), role })}
      onClose={onClose}
    >
      <TextInput
        type="email"
        label="E-mail"
        description="The person signs in with this address."
        placeholder="ada@acme.example"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={issues.email && "This is not an email address."}
        autoComplete="off"
        data-autofocus
      />
      <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as Role)}>
        <Stack gap="sm" mt="xs">
          {ROLES.map(({ role: value, name, may }) => {
            const isHeld = value === "owner" && !isOwner;
            return (
              <Radio
                key={value}
                value={value}
                label={name}
                description={isHeld ? `${may} Only an owner can invite an owner.` : may}
                disabled={isHeld}
              />
            );
          })}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}

export type HandOverProps = { email: string; link: string; until: { expires_at: string }; onClose: () => void };

/** The link of an invitation, to pass on. */
export function HandOver({ email, link, until, onClose }: HandOverProps) {
  return (
    <Stack>
      <Alert color="yellow" icon={<IconMailOff aria-hidden />} title={`${email} is invited`}>
        This service sends no email (OUTBOUND=local). Send this link to the person through a private channel.
      </Alert>
      <CodeBlock samples={[{ label: "Link", code: link }]} what="the link" isFirst />
      <Text size="sm" c="dimmed">
        It works once. It expires <Time at={until.expires_at} plain />, and is not shown again. A new invitation of the
        same address replaces this link.
      </Text>
      <DialogActions>
        <Button onClick={onClose}>Done</Button>
      </DialogActions>
    </Stack>
  );
}
