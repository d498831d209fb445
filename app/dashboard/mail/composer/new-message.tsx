// The dialog for a new message.
"use client";
import { Dialog } from "../../parts/dialog.tsx";
import { goTo } from "../place.ts";
import { afterFields } from "./after-fields.ts";
import { Composer } from "./composer.tsx";

type Props = { inbox: string; onClose: () => void; onUndo: () => void };

export default function NewMessage({ inbox, onClose, onUndo }: Props) {
  return (
    <Dialog onClose={afterFields(onClose)} title="New message" size="44rem">
      <Composer
        writing={{ kind: "new", place: `new:${inbox}`, inbox }}
        onSent={(threadId) => {
          onClose();
          goTo({ thread: threadId });
        }}
        onClose={onClose}
        onUndo={onUndo}
      />
    </Dialog>
  );
}
