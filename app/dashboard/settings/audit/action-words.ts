// Texts for the actions of the audit log, by procedure name.

const WORDS: Record<string, string> = {
  "session.sign_in": "Signed in",
  "account.change_password": "Changed their password",
  "account.reset_password": "Reset their password",
  "team.join": "Joined the team",
  "team.invite": "Invited a person",
  "team.cancelInvitation": "Withdrew an invitation",
  "team.setRole": "Changed a role",
  "team.removeMember": "Removed a member",
  "organization.update": "Changed the organization",
  "keys.issue": "Issued an enrollment key",
  "keys.revoke": "Revoked an enrollment key",
  "keys.revokeAgentKey": "Revoked an agent's key",
  "inboxes.createWith": "Created an inbox",
  "inboxes.update": "Changed an inbox",
  "inboxes.remove": "Deleted an inbox",
  "inboxes.resumeSending": "Resumed sending",
  "domains.create": "Added a domain",
  "domains.verify": "Checked a domain",
  "domains.rotateDkim": "Rotated a DKIM key",
  "domains.remove": "Deleted a domain",
  "suppressions.add": "Suppressed an address",
  "suppressions.remove": "Lifted a suppression",
  "domains.takenOver": "Deleted the inboxes on a lost domain",
  "messages.send": "Sent mail",
  "messages.reply": "Answered mail",
  "messages.forward": "Forwarded mail",
  "messages.checkSend": "Checked mail before sending",
  "messages.checkReply": "Checked an answer before sending",
  "messages.checkForward": "Checked a forward before sending",
  "messages.update": "Marked or labelled mail",
  "messages.remove": "Deleted mail",
  "threads.remove": "Deleted a conversation",
  "webhooks.register": "Registered a webhook",
  "webhooks.update": "Changed a webhook",
  "webhooks.remove": "Deleted a webhook",
  "webhooks.rotateSecret": "Rotated a webhook's secret",
  "webhooks.test": "Tested a webhook",
  "webhooks.redeliver": "Sent a delivery again",
  "webhooks.replay": "Replayed deliveries",
};

/** Unknown actions are shown by their name. */
export function wordsFor(action: string): string {
  return WORDS[action] ?? action;
}
