// The form of the organization's settings. Only owners can change it.
"use client";
import { Alert, Button, Group, Stack, TagsInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { IconLock } from "../../design/icons.tsx";
import { IconMailOff } from "../../design/shell-icons.tsx";
import { describeFailure } from "../parts/failure.ts";
import { Problem } from "../parts/problem.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useMayAct } from "../session/member.tsx";
import { useTRPC, useTRPCClient } from "../trpc.ts";
import classes from "./settings.module.css";
import type { Organization } from "./with-organization.tsx";

const NAME_MAX_CHARS = 100;
const OWNERS_MAX = 20;

type Said = Pick<Organization, "name" | "owner_emails">;

function same(one: Said, other: Said): boolean {
  return one.name === other.name && one.owner_emails.join() === other.owner_emails.join();
}

function useSave() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  return async ({ name, owner_emails }: Said) => {
    const saved = await client.organization.update.mutate({ name, owner_emails });
    await queries.invalidateQueries(trpc.organization.pathFilter());
    await queries.invalidateQueries(trpc.team.me.pathFilter());
    return saved;
  };
}

export default function OrganizationForm({ organization }: { organization: Organization }) {
  const mayChange = useMayAct("owner");
  const save = useSave();
  const [name, setName] = useState(organization.name);
  const [emails, setEmails] = useState(organization.owner_emails);
  // An address that is typed and not entered yet is saved too.
  const [typed, setTyped] = useState("");
  const said = { name: name.trim(), owner_emails: [...new Set([...emails, ...(typed.trim() ? [typed.trim()] : [])])] };
  /** Shows what was saved in the fields that have not changed since. */
  const show = (saved: Said, { name: was, owner_emails, typed: wasTyped }: Said & { typed: string }) => {
    setName((now) => (now === was ? saved.name : now));
    setEmails((now) => (now.join() === owner_emails.join() ? saved.owner_emails : now));
    setTyped((now) => (now === wasTyped ? "" : now));
  };
  const change = useMutation({
    mutationFn: () => save(said),
    onMutate: () => ({ before: organization, sent: { name, owner_emails: emails, typed } }),
    onSuccess(saved, _nothing, { before, sent }) {
      show(saved, sent);
      const undo = () => save(before).then((undone) => show(undone, { ...saved, typed: "" }));
      succeeded("Saved", { undo });
    },
  });
  const issues = change.error ? describeFailure(change.error).issues : {};

  function submit(event: SubmitEvent) {
    event.preventDefault();
    change.mutate();
  }

  return (
    <form onSubmit={submit} className={classes.form}>
      <Stack>
        {!mayChange && (
          <Alert color="gray" icon={<IconLock aria-hidden />}>
            Only owners can change these settings. The owners are listed under Team.
          </Alert>
        )}
        {change.error && Object.keys(issues).length === 0 && <Problem error={change.error} />}
        <TextInput
          label="Name"
          description="Shown to your team and in emails from this service."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={NAME_MAX_CHARS}
          required={mayChange}
          disabled={!mayChange}
          classNames={{ input: classes.readable }}
          error={issues.name}
        />
        <TagsInput
          label="Addresses for notices"
          description="These addresses get every notice by mail, such as a disabled webhook or a message that waits for approval. A new address that is not a member's gets one letter that asks for confirmation, and notices after that. Members choose their own under Notices. Press Enter after each one."
          placeholder={emails.length > 0 ? undefined : mayChange ? "ops@acme.example" : "None"}
          value={emails}
          onChange={setEmails}
          searchValue={typed}
          onSearchChange={setTyped}
          maxTags={OWNERS_MAX}
          splitChars={[",", " ", ";"]}
          acceptValueOnBlur
          clearable={mayChange && emails.length > 0}
          clearButtonProps={{ "aria-label": "Remove all addresses" }}
          disabled={!mayChange}
          classNames={{ input: classes.readable }}
          error={issues.owner_emails}
        />
        {organization.service.outbound === "local" && (
          <Alert color="gray" icon={<IconMailOff aria-hidden />}>
            This service sends no mail (OUTBOUND=local), so these addresses get nothing. Notices to browsers and chats
            work.
          </Alert>
        )}
        {mayChange && (
          <Group>
            <Button type="submit" loading={change.isPending} disabled={!said.name || same(said, organization)}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
