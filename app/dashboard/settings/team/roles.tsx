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
    may: "Reads everything, creates inboxes, sends and replies to mail, tests and replays webhooks.",
  },
  {
    role: "admin",
    name: "Admin",
    may: "Also issues and revokes keys, manages webhooks, deletes inboxes, invites people, reads the audit log.",
  },
  { role: "owner", name: "Owner", may: "Also changes roles, the organization's name and its addresses for notices." },
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
