// The dialog that lists the shortcuts of the page.
"use client";
import { Kbd, Table } from "@mantine/core";
import { Dialog } from "../../parts/dialog.tsx";
import type { Shortcut } from "../../parts/shortcuts.ts";
import { PAGES } from "./go.tsx";

type Props = { shortcuts: Shortcut[]; onClose: () => void };

export default function Help({ shortcuts, onClose }: Props) {
  return (
    <Dialog onClose={onClose} title="Shortcuts">
      <Table withRowBorders={false} aria-label="Shortcuts">
        <Table.Tbody>
          <Row keys={["Ctrl", "K"]} does="Find anything, or do something" />
          {shortcuts.map(({ keys, does }) => (
            <Row key={keys} keys={[keys]} does={does} />
          ))}
          {PAGES.map(({ letter, label }) => (
            <Row key={label} keys={["g", letter]} does={label} />
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}

function Row({ keys, does }: { keys: string[]; does: string }) {
  return (
    <Table.Tr>
      <Table.Th scope="row">
        {keys.map((key) => (
          <Kbd key={key} mr={4}>
            {key}
          </Kbd>
        ))}
      </Table.Th>
      <Table.Td>{does}</Table.Td>
    </Table.Tr>
  );
}
