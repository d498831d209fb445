// The shell around every page of the dashboard: sidebar (a drawer on narrow screens), organization, member's menu.
"use client";
import { Burger } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import dynamic from "next/dynamic";
import Link from "next/link";
import type { ReactNode } from "react";
import { Mark } from "../../mark.tsx";
import { patient } from "../parts/patient.ts";
import { Problem } from "../parts/problem.tsx";
import { useBrowserNotices } from "../session/browser-notices.ts";
import { MemberGate } from "../session/member.tsx";
import { ApiButton } from "./api-calls/api-button.tsx";
import { Connection } from "./connection.tsx";
import { Keyboard } from "./keyboard/keyboard.tsx";
import { LostConnection } from "./lost-connection.tsx";
import { Navigation } from "./navigation.tsx";
import { OrganizationName } from "./organization-name.tsx";
import classes from "./shell.module.css";
import { ShellSkeleton } from "./shell-skeleton.tsx";

const DRAWER_ID = "places";
const TOASTS_AT_ONCE = 4;

// Menus, dialogs and toasts are a quarter of the script and not visible at first, so they load after the page.
const OrganizationSwitcher = dynamic(
  () => patient(() => import("./organization-switcher.tsx").then((module) => module.OrganizationSwitcher)),
  { ssr: false, loading: OrganizationName },
);
const UserMenu = dynamic(() => patient(() => import("./user-menu.tsx").then((module) => module.UserMenu)), {
  ssr: false,
  loading: () => <span className={classes.bone} data-shape="user" />,
});
const NotAMember = dynamic(
  () => patient(() => import("../session/not-a-member.tsx").then((module) => module.NotAMember)),
  {
    ssr: false,
  },
);
const PlacesDrawer = dynamic(() => patient(() => import("./places-drawer.tsx").then((module) => module.PlacesDrawer)), {
  ssr: false,
});
const SessionEnded = dynamic(
  () => patient(() => import("../session/session-ended.tsx").then((module) => module.SessionEnded)),
  {
    ssr: false,
  },
);
const ShowNotices = dynamic(() => patient(() => import("./show-notices.tsx").then((module) => module.ShowNotices)), {
  ssr: false,
});
const Notifications = dynamic(
  () => patient(() => import("@mantine/notifications").then((module) => module.Notifications)),
  {
    ssr: false,
  },
);

export function Shell({ children }: { children: ReactNode }) {
  return (
    <Connection>
      <MemberGate
        waiting={<ShellSkeleton />}
        stranger={(message) => <NotAMember message={message} />}
        failed={(error, retry, busy) => (
          <main className={classes.alone}>
            <Problem error={error} what="The dashboard could not be opened" retry={retry} busy={busy} />
          </main>
        )}
      >
        <Frame>{children}</Frame>
        <SessionEnded />
        <LostConnection />
        <Keyboard />
        <BrowserNotices />
        <Notifications position="bottom-right" limit={TOASTS_AT_ONCE} />
      </MemberGate>
    </Connection>
  );
}

function BrowserNotices() {
  return useBrowserNotices() && <ShowNotices />;
}

function Brand() {
  return (
    <Link href="/dashboard" className={classes.brand}>
      <Mark size={26} />
      Mailberth
    </Link>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const [opened, drawer] = useDisclosure(false);
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
        <Burger
          className={classes.burger}
          size="sm"
          opened={opened}
          onClick={drawer.toggle}
          aria-label="Menu"
          aria-expanded={opened}
          aria-controls={DRAWER_ID}
        />
        <OrganizationSwitcher />
        <ApiButton />
        <UserMenu />
      </header>
      <main id="main" tabIndex={-1} className={classes.main}>
        {children}
      </main>
      <PlacesDrawer id={DRAWER_ID} opened={opened} onClose={drawer.close} />
    </div>
  );
}
