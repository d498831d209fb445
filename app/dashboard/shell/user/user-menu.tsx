// The member's menu: its button, until it is pressed.
"use client";
import { useState } from "react";
import { later, patient } from "../../parts/later.ts";
import classes from "../shell.module.css";
import { UserButton } from "./user-button.tsx";

const load = () => import("./menu.tsx");
const OpenedMenu = later(load, () => <UserButton className={classes.user} />);
const loadEarly = () => void patient(load);

export default function UserMenu() {
  const [wasPressed, setPressed] = useState(false);
  if (wasPressed) return <OpenedMenu />;
  return (
    <UserButton
      className={classes.user}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setPressed(true)}
      onMouseEnter={loadEarly}
      onFocus={loadEarly}
    />
  );
}
