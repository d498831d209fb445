// The floor of W4: a bare node:http server that reads a JSON body, holds the answer open until its time is over, and knows no
// mail: no key to check, no mailbox to find, nobody to wake.
import { createServer } from "node:http";

const TIMED_OUT = JSON.stringify({ timed_out: true, message: null });

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    text += chunk;
  });
  request.on("end", () => {
    const { timeout_seconds } = JSON.parse(text) as { timeout_seconds: number };
    const timer = setTimeout(() => response.end(TIMED_OUT), timeout_seconds * 1000);
    response.once("close", () => clearTimeout(timer));
  });
});
server.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("ready"));
process.on("SIGTERM", () => process.exit(0));
