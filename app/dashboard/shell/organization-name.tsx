// The name of the current organization.
"use client";
import { useMe } from "../session/member.tsx";
import classes from "./shell.module.css";

export function OrganizationName() {
  return <span className={classes.organization}>{useMe().organization.name}</span>;
}
