// Haraka's last step in three forms, as QUEUE_MODE says. `null` accepts and forgets; `file` writes the mail to a file and
// waits for fsync; `webhook` does that, then posts a signed JSON and answers the sender only when the endpoint has answered,
// which is the simplest form that loses nothing (there is no queue behind it: a failed post sends the mail away with 450).
const { createHmac } = require("node:crypto");
const { createWriteStream, unlink } = require("node:fs");
const { Agent, request } = require("node:http");
const { join } = require("node:path");

const { QUEUE_MODE, SPOOL_DIR, WEBHOOK_URL, WEBHOOK_SECRET } = process.env;
const POST_TIMEOUT_MS = 15_000;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

function writeDurably(transaction, done) {
  const path = join(SPOOL_DIR, transaction.uuid);
  // `flush`: fsync before it is closed.
  const file = createWriteStream(path, { flush: true });
  file.once("error", done);
  file.once("close", () => done(null, path));
  transaction.message_stream.pipe(file);
}

function post(transaction, done) {
  const body = JSON.stringify({
    event: "message.received",
    inbox: transaction.rcpt_to[0].address,
    message: {
      id: transaction.uuid,
      from: transaction.mail_from.address,
      subject: transaction.header.get("Subject").trim(),
      received_at: new Date().toISOString(),
    },
  });
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", WEBHOOK_SECRET).update(`${at}.${body}`).digest("hex");
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "X-Service-Signature": `t=${at},v1=${signature}`,
  };
  const sent = request(WEBHOOK_URL, { method: "POST", agent, headers, timeout: POST_TIMEOUT_MS }, (answer) => {
    answer.resume();
    answer.once("end", () => done(answer.statusCode === 200 ? null : new Error(`answered ${answer.statusCode}`)));
  });
  sent.once("error", done);
  sent.end(body);
}

exports.hook_rcpt = (next) => next(OK);

exports.hook_queue = (next, connection) => {
  const { transaction } = connection;
  const finish = (error) => (error ? next(DENYSOFT, String(error.message)) : next(OK));
  if (QUEUE_MODE === "null") return next(OK);
  writeDurably(transaction, (error, path) => {
    if (error || QUEUE_MODE === "file") return finish(error);
    // Once the endpoint has it, the file has done its duty.
    post(transaction, (refused) => unlink(path, () => finish(refused)));
  });
};
