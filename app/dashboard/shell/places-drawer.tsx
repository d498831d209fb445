// The navigation on narrow screens: a drawer that the burger opens.
"use client";
import { Drawer } from "@mantine/core";
import { Mark } from "../../mark.tsx";
import { Navigation } from "./navigation.tsx";
import classes from "./shell.module.css";

type Props = { id: string; opened: boolean; onClose: () => void };

export default function PlacesDrawer({ id, opened, onClose }: Props) {
  const title = (
    <span className={classes.brand}>
      <Mark size={26} />
      Mailberth
    </span>
  );
  return (
    <Drawer id={id} opened={opened} onClose={onClose} size={272} title={title} classNames={{ body: classes.drawer }}>
      <nav className={classes.places} aria-label="Dashboard">
        <Navigation onGo={onClose} />
      </nav>
    </Drawer>
  );
}
