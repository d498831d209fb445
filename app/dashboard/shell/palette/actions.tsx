// What the palette does, beside what it opens: each action is a dialog, is done immediately, or leads to the page where it is done.
"use client";
import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { FUZZY_CHARS_MIN, nearlyHasWords } from "../../../near-words.ts";
import { KEYS } from "../../keys/places.ts";
import { later } from "../../parts/later.ts";
import { useMayAct } from "../../session/member.tsx";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { useResume } from "../resume.ts";

type DialogProps = { onClose: () => void };
export type Action = {
  kind: "Action";
  name: string;
  /** Other words that it is found by. */
  words: string;
  forAdmins?: true;
  /** Stands in place of the palette until it closes. */
  Dialog?: ComponentType<DialogProps>;
  run?: () => void;
  /** The page where it is done. */
  href?: string;
};

const PauseDialog = later(() => import("../../parts/pause-dialog.tsx"));

function PauseAll({ onClose }: DialogProps) {
  const client = useTRPCClient();
  return (
    <PauseDialog
      what="all sending"
      onPause={(reason) => client.organization.pauseSending.mutate({ reason })}
      onClose={onClose}
    />
  );
}

const dialog = (name: string, words: string, Dialog: ComponentType<DialogProps>, forAdmins?: true): Action => ({
  kind: "Action",
  name,
  words,
  Dialog,
  ...(forAdmins && { forAdmins }),
});
const ACTIONS: Action[] = [
  dialog(
    "Create an inbox",
    "new mailbox address",
    later(() => import("../../inboxes/create-inbox.tsx")),
  ),
  dialog(
    "Issue a key",
    "new enrollment create quota",
    later(() => import("../../keys/issue-key.tsx")),
    true,
  ),
  dialog(
    "Invite a person",
    "team member add",
    later(() => import("../../settings/team/invite.tsx")),
    true,
  ),
  dialog(
    "Register a webhook",
    "new endpoint url",
    later(() => import("../../webhooks/register-webhook.tsx")),
    true,
  ),
  dialog(
    "Add a domain",
    "new dns",
    later(() => import("../../domains/add-domain.tsx")),
    true,
  ),
  dialog(
    "Suppress an address",
    "add suppression stop",
    later(() => import("../../suppressions/add-suppression.tsx")),
  ),
  dialog("Pause all sending", "stop mail", PauseAll, true),
  { kind: "Action", name: "Approvals that wait", words: "approve review reject held", href: "/dashboard/approvals" },
  { kind: "Action", name: "Revoke a key", words: "end disable delete leaked", href: KEYS, forAdmins: true },
  {
    kind: "Action",
    name: "Raise the send cap",
    words: "daily limit increase more recipients SEND_CAP_RAMP quota",
    href: "/guides/deliverability#raise-the-daily-cap",
  },
  dialog(
    "Change password",
    "account",
    later(() => import("../user/change-password.tsx")),
  ),
];

/** One for each pause that the member may end. The button at the top of each page asks nothing either. */
function useResuming(): Action[] {
  const pauses = useQuery(useTRPC().organization.pauses.queryOptions());
  const { mayResume, resume } = useResume();
  return (pauses.data?.data ?? []).filter(mayResume).map((pause) => ({
    kind: "Action",
    name: pause.scope === "organization" ? "Resume sending" : `Resume sending of ${pause.address ?? pause.id}`,
    words: "continue unpause pause",
    run: () => resume.mutate(pause),
  }));
}

/** The actions that the member may take and whose name or words begin with those of the text; none without a text. */
export function useActions(text: string): Action[] {
  const mayAct = useMayAct("admin");
  const resuming = useResuming();
  // Disabling transitions would write a <style>, which the Content-Security-Policy blocks.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  if (text === "") return [];
  const all: Action[] = [
    ...ACTIONS,
    ...resuming,
    { kind: "Action", name: "Dark colors", words: "theme mode scheme", run: () => setColorScheme("dark") },
    { kind: "Action", name: "Light colors", words: "theme mode scheme", run: () => setColorScheme("light") },
    {
      kind: "Action",
      name: "Colors as the system",
      words: "theme mode scheme auto",
      run: () => setColorScheme("auto"),
    },
    {
      kind: "Action",
      name: "Sign out",
      words: "log out leave",
      run: () => void import("../user/leave.ts").then(({ leave }) => leave()),
    },
  ];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = (matches: typeof nearlyHasWords) =>
    all.filter(
      ({ name, words: more, forAdmins }) => (mayAct || !forAdmins) && matches(`${name} ${more}`.toLowerCase(), words),
    );
  const exact = matching((text, all) => all.every((word) => ` ${text}`.includes(` ${word}`)));
  return exact.length > 0 || words.some(({ length }) => length < FUZZY_CHARS_MIN) ? exact : matching(nearlyHasWords);
}
