// <AddedBy>: who added an entry of a list or a suppression.
import { Text } from "@mantine/core";
import { BrokenUrl } from "./broken-url.tsx";

type Added = { set_by: "member" | "agent" | "service"; set_by_key: string | null };

const WORDS = { member: "A member", agent: "An agent", service: "Mailberth" };

export function AddedBy({ set_by, set_by_key }: Added) {
  return (
    <>
      {WORDS[set_by]}
      {set_by_key !== null && (
        <Text size="xs" c="dimmed">
          <BrokenUrl text={set_by_key} />
        </Text>
      )}
    </>
  );
}
