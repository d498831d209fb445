// The member's menu: its button, until it is pressed.
"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import { patient } from "../../parts/patient.ts";
import classes from "../shell.module.css";
import { UserButton } from "./user-button.tsx";

const load = () => patient(() => import("./menu.tsx").then((module) => module.OpenedMenu));
const OpenedMenu = dynamic(load, { ssr: false, loading: () => <UserButton className={classes.user} /> });

export function UserMenu() {
  const [wasPressed, setPressed] = useState(false);
  if (wasPressed) return <OpenedMenu />;
  return (
    <UserButton
      className={classes.user}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setPressed(true)}
      onMouseEnter={load}
      onFocus={load}
    />
  );
}
