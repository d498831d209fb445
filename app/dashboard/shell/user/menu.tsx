// The member's menu, opened: name, colour scheme, password, second factor, sign out. Menus are large, so it loads when it is wanted.
"use client";
import { type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconLock, IconLogout, IconShieldLock } from "../../../design/icons.tsx";
import { later } from "../../parts/later.ts";
import { useMe } from "../../session/member.tsx";
import classes from "../shell.module.css";
import { leave } from "./leave.ts";
import { UserButton } from "./user-button.tsx";

const ChangePassword = later(() => import("./change-password.tsx"));
const SecondFactor = later(() => import("./second-factor.tsx"));

const SCHEMES: [MantineColorScheme, string][] = [
  ["auto", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export default function OpenedMenu() {
  const { user, role } = useMe();
  const [changing, change] = useDisclosure(false);
  const [isFactorShown, factor] = useDisclosure(false);
  // Disabling transitions would write a <style>, which the Content-Security-Policy blocks.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <>
      <Menu width={250} defaultOpened>
        <Menu.Target>
          <UserButton className={classes.user} />
        </Menu.Target>
        <Menu.Dropdown>
          <div className={classes.identity}>
            <strong>{user.name}</strong>
            <span>{user.email}</span>
            <span>Role: {role}</span>
          </div>
          <Menu.Divider />
          <Menu.Label>Colors</Menu.Label>
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
          <Menu.Item leftSection={<IconShieldLock size={16} aria-hidden />} onClick={factor.open}>
            Second factor
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={leave}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {changing && <ChangePassword onClose={change.close} />}
      {isFactorShown && <SecondFactor onClose={factor.close} />}
    </>
  );
}
