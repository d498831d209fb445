// The dialog with the new link of an invitation that was sent again.
"use client";
import { Dialog } from "../../parts/dialog.tsx";
import { HandOver, type HandOverProps } from "./invite.tsx";

export default function InvitedAgain(invited: HandOverProps) {
  return (
    <Dialog title="Invitation" size="lg" onClose={invited.onClose}>
      <HandOver {...invited} />
    </Dialog>
  );
}
