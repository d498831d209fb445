// The dialog for a new message.
"use client";
import { Dialog } from "../../parts/dialog.tsx";
import { goTo } from "../place.ts";
import { Composer } from "./composer.tsx";

export default function NewMessage({ inbox, onClose }: { inbox: string; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="New message" size="44rem">
      <Composer
        writing={{ kind: "new", place: `new:${inbox}`, inbox }}
        onSent={(threadId) => {
          onClose();
          goTo({ thread: threadId });
        }}
        onClose={onClose}
      />
    </Dialog>
  );
}
