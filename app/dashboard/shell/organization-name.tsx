// The name of the organization that is looked at.
"use client";
import { useMe } from "../session/member.tsx";
import classes from "./shell.module.css";

export function OrganizationName() {
  return <span className={classes.organization}>{useMe().organization.name}</span>;
}
