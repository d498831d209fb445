// The current organization, with a menu for members of several.
"use client";
import { Menu, Text, UnstyledButton } from "@mantine/core";
import { IconSelector } from "../../design/icons.tsx";
import { chooseOrganization } from "../session/chosen-organization.ts";
import { useMe } from "../session/member.tsx";
import { OrganizationName } from "./organization-name.tsx";
import classes from "./shell.module.css";

export default function OrganizationSwitcher() {
  const { organization, organizations } = useMe();
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton className={classes.switcher} aria-label={`Organization: ${organization.name}. Switch`}>
          <OrganizationName />
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Your organizations</Menu.Label>
        <Menu.RadioGroup value={organization.id} onChange={chooseOrganization}>
          {organizations.map(({ id, name, role }) => (
            <Menu.RadioItem
              key={id}
              value={id}
              closeMenuOnClick
              rightSection={
                <Text size="xs" c="dimmed">
                  {role}
                </Text>
              }
            >
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
