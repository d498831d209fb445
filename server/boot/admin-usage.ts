// What `npm run admin` prints when it is called without a command.
import { ADMIN_COMMAND } from "../base/errors/admin-command.ts";

export const USAGE = `Usage: ${ADMIN_COMMAND} <what> <action> [options] [--json]

  organizations create --name Acme [--owner a@b.example,c@d.example]
  organizations update <id|name> [--owner a@b.example,c@d.example] [--paid-provisioning on|off]
                       [--review none|first_contact|all] [--review-ttl 72h]
  organizations list
  organizations owner-link <id|name>
  organizations export <id|name> --to <folder> --key <file>
  organizations import <folder> --key <file>
  domains grant --organization <id|name> [--delete-mailboxes] <domain>
  domains list
  domains show <domain>
  domains revoke <domain>
  domains check
  domains rotate-dkim
  enrollment-keys issue --organization <id|name> --max-mailboxes N [--allowed-domains a,b] [--expires-in 30d] [--name x]
  enrollment-keys list
  enrollment-keys revoke <id>
  agent-keys issue --enrollment-key <id> --handle bot [--scopes a,b] [--inboxes addr,…] [--expires-in 30d]
  agent-keys list
  agent-keys revoke <id>
  accounts reset-link <e-mail>
  storage recount
  blobs sweep [--grace 24h|none]
  blobs move --to s3|postgres
  messages reparse <message id>|--unparsed
  messages retention --organization <id|name> [--inbox <address>] --days N|none
  backup <file>
  restore <file>

owner-link: a one-time link that makes who opens it an owner. reset-link: a link to set a new password.
domains grant: the domain and everything below it is for this organization alone. Keys with --allowed-domains
  grant them too, for as long as the key is neither revoked nor expired; domains grant lasts until domains revoke.
--delete-mailboxes: deletes the mailboxes, with their mail, that other organizations have on the domain.
domains revoke: also deletes the claim of an organization that verified the domain. Its mailboxes still receive
  mail, but send none, until another organization gets the domain. Then they are deleted.
domains show: who claims or holds the domain, the state of each DNS record, and the grants.
domains check: the DNS records that DEFAULT_DOMAIN needs, and whether DNS has them.
domains rotate-dkim: a second DKIM key for DEFAULT_DOMAIN. Publish its record: it signs when the service finds it,
  within a minute. Keep the record of the first key for 7 days after that.
storage recount: counts the stored mail of all mailboxes anew, for the storage quotas. New mail
  waits until the count ends.
blobs sweep: removes the objects in S3 that no mail, message or draft refers to since the grace period, which the service does
  too. none: also those of this moment, so stop every process of the service before.
blobs move: moves stored mail and attachments to S3, or back into the database, while the service runs. Stop it and call it
  again as you like.
messages reparse: parses mail again that could not be parsed, one message or all.
messages retention: after how many days mail of the organization, or of one mailbox, is erased. The shortest time that
  applies counts, RETENTION_DAYS_MESSAGES included.
backup: writes all data into one file, as it is at one moment, while the service runs. Keep the file private,
  and keep ENCRYPTION_KEY (or encryption.key in DATA_DIR) in another place: both are needed to restore.
organizations export: writes one organization into a new folder, its mail as an mbox, while the service runs. import: adds it
  to another installation of the same version. --key: a file with 32 bytes in base64, which encrypts the secrets in it.
restore: fills an empty database from such a file, of this version or an older one.
--owner: addresses that are notified by mail when a webhook is disabled; update replaces the list, "" empties it.
--review: which messages of agents wait until a member approves them; first_contact: those with a recipient who
  never wrote first and for whom none was approved. Mailboxes may have their own setting. --review-ttl: how
  long they wait before they are rejected.
--paid-provisioning: whether its creates ask for a payment (with PAYMENTS_ENABLED).
--expires-in takes a number and m, h or d. --json prints one JSON object.
`;
