// The member's menu: name, colour scheme, password, sign out.
"use client";
import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconLock, IconLogout } from "../../design/icons.tsx";
import { signOut } from "../../session.ts";
import { failed } from "../parts/toast.tsx";
import { useMe } from "../session/member.tsx";
import { ChangePassword } from "./change-password.tsx";
import classes from "./shell.module.css";

const SCHEMES: [MantineColorScheme, string][] = [
  ["auto", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return ends.map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "").join("");
}

/** Signs out and opens the sign-in page; shows an error if the session is still active. */
export async function leave(): Promise<void> {
  try {
    await signOut();
  } catch (error) {
    failed(error, "You are still signed in");
    return;
  }
  sessionStorage.clear();
  location.assign("/sign-in");
}

export function UserMenu() {
  const { user, role } = useMe();
  const [changing, change] = useDisclosure(false);
  // Disabling transitions would write a <style>, which the Content-Security-Policy blocks.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <>
      <Menu width={250}>
        <Menu.Target>
          <UnstyledButton className={classes.user} aria-label={`Your menu: ${user.name}`}>
            <span className={classes.initials} data-initials={initials(user.name)} />
            <span className={classes.userName}>{user.name}</span>
            <IconChevronDown size={15} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <div className={classes.identity}>
            <strong>{user.name}</strong>
            <span>{user.email}</span>
            <span>Role: {role}</span>
          </div>
          <Menu.Divider />
          <Menu.Label>Colours</Menu.Label>
          <Menu.RadioGroup
            value={colorScheme}
            onChange={(value) => setColorScheme(SCHEMES.find(([scheme]) => scheme === value)?.[0] ?? "auto")}
          >
            {SCHEMES.map(([scheme, label]) => (
              <Menu.RadioItem key={scheme} value={scheme}>
                {label}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item leftSection={<IconLock size={16} aria-hidden />} onClick={change.open}>
            Change password
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={leave}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ChangePassword opened={changing} onClose={change.close} />
    </>
  );
}
