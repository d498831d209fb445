// The shell around every page of the dashboard: sidebar (a drawer on narrow screens), organization, member's menu.
"use client";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { NearLink } from "../../design/near-link.tsx";
import { Mark } from "../../mark.tsx";
import { later } from "../parts/later.ts";
import { Problem } from "../parts/problem.tsx";
import { MemberGate, useMe } from "../session/member.tsx";
import { ApiButton } from "./api-calls/api-button.tsx";
import { Connection } from "./connection.tsx";
import { Keyboard } from "./keyboard/keyboard.tsx";
import { LostConnection } from "./lost-connection.tsx";
import { Navigation } from "./navigation.tsx";
import { OrganizationName } from "./organization-name.tsx";
import classes from "./shell.module.css";
import { ShellSkeleton } from "./shell-skeleton.tsx";

const DRAWER_ID = "places";

// Menus, dialogs and toasts are a quarter of the script and not visible at first, so they load after the page.
const OrganizationSwitcher = later(() => import("./organization-switcher.tsx"), OrganizationName);
const UserMenu = later(
  () => import("./user/user-menu.tsx"),
  () => <span className={classes.bone} data-shape="user" />,
);
const Attendants = later(() => import("./attendants.tsx"));
const Pauses = later(() => import("./pauses.tsx"));
const NotAMember = later(() => import("../session/not-a-member.tsx"));
const SecondFactorMissing = later(() => import("../session/second-factor-missing.tsx"));
const PlacesDrawer = later(() => import("./places-drawer.tsx"));

export function Shell({ children }: { children: ReactNode }) {
  return (
    <Connection>
      <MemberGate
        waiting={<ShellSkeleton />}
        stranger={(message) => <NotAMember message={message} />}
        setUp={(retry) => <SecondFactorMissing onDone={retry} />}
        failed={(error, retry, busy) => (
          <main className={classes.alone}>
            <Problem error={error} what="The dashboard could not be opened" retry={retry} busy={busy} />
          </main>
        )}
      >
        <Frame>{children}</Frame>
        <Keyboard />
        <LostConnection />
        <Attendants />
      </MemberGate>
    </Connection>
  );
}

function Brand() {
  return (
    <NearLink href="/dashboard" className={classes.brand}>
      <Mark size={26} />
      Mailberth
    </NearLink>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const { organizations } = useMe();
  const [wasOpened, setWasOpened] = useState(false);
  const [opened, drawer] = useDisclosure(false, { onOpen: () => setWasOpened(true) });
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      <nav className={classes.sidebar} aria-label="Dashboard">
        <Brand />
        <Navigation />
      </nav>
      <header className={classes.top}>
        <button
          type="button"
          className={classes.burger}
          onClick={drawer.toggle}
          aria-label="Menu"
          aria-expanded={opened}
          aria-controls={DRAWER_ID}
        >
          <span />
        </button>
        {organizations.length > 1 ? <OrganizationSwitcher /> : <OrganizationName />}
        <ApiButton />
        <UserMenu />
      </header>
      <main id="main" tabIndex={-1} className={classes.main}>
        <Pauses />
        {children}
      </main>
      {wasOpened && <PlacesDrawer id={DRAWER_ID} opened={opened} onClose={drawer.close} />}
    </div>
  );
}
