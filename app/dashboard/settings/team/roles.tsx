// Descriptions of the roles, for the role dialog and the team page.
"use client";
import { Badge } from "@mantine/core";
import type { Outputs } from "../../trpc.ts";
import { Fact, Facts } from "../facts.tsx";
import classes from "../settings.module.css";

export type Role = Outputs["team"]["me"]["role"];

/** From the least to the most. */
export const ROLES: { role: Role; name: string; may: string }[] = [
  {
    role: "member",
    name: "Member",
    may: "Reads all mail and settings, creates inboxes, sends mail, approves messages of agents, deletes mail, tests and replays webhooks.",
  },
  {
    role: "admin",
    name: "Admin",
    may: "Also manages keys, webhooks, domains, and lists of senders, pauses all sending, deletes inboxes, invites and removes people, reads the audit log.",
  },
  {
    role: "owner",
    name: "Owner",
    may: "Also changes roles, the organization's name, its addresses for notices and its rules for signing in, and resets a second factor.",
  },
];

const COLORS: Record<Role, string> = { member: "gray", admin: "blue", owner: "orange" };

export function nameOf(role: Role): string {
  return ROLES.find((each) => each.role === role)?.name ?? role;
}

export function RoleBadge({ role }: { role: Role }) {
  return (
    <Badge variant="light" color={COLORS[role]}>
      {nameOf(role)}
    </Badge>
  );
}

export function RoleList() {
  return (
    <div className={classes.panel}>
      <Facts>
        {ROLES.map(({ role, name, may }) => (
          <Fact key={role} label={name}>
            {may}
          </Fact>
        ))}
      </Facts>
    </div>
  );
}
