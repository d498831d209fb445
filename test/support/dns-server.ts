// A DNS server on loopback, over UDP and TCP, whose zone tests may change while it runs.
import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import packet from "dns-packet";
import type { DnsType } from "#server/base/ports/dns.ts";
import { lookUp, type Zone } from "./zone.ts";

const RCODES: Record<string, number> = { ENODATA: 0, ESERVFAIL: 2, ENOTFOUND: 3, EREFUSED: 5 };
const TTL = 60;
/** Longer answers are sent over TCP (RFC 1035 §4.2.1). */
const UDP_BYTES = 512;
/** A character-string holds 255 octets (RFC 1035 §3.3). */
const STRING = /[\s\S]{1,255}/g;
/** Two servers on one port: UDP and TCP. Another program may have one of the two. */
const PORT_TRIES = 20;

/** `loop`: a CNAME to itself. `wrong_id`: an answer to another question. */
export type Lie = "loop" | "wrong_id" | "garbage";

export type DnsServer = {
  /** As DNS_SERVERS takes it. */
  address: string;
  zone: Zone;
  /** By name: how its answers are wrong. */
  lies: Map<string, Lie>;
  /** `TXT example.com`, in the order asked. */
  asked: string[];
  close(): Promise<void>;
};

type State = Pick<DnsServer, "zone" | "lies" | "asked">;
type Reply = { rcode: number; answers: packet.Answer[] };

function dataOf(type: string, record: unknown): unknown {
  if (type === "TXT") return (record as string[]).flatMap((text) => text.match(STRING) ?? [""]);
  if (type !== "MX") return record;
  const { priority: preference, exchange } = record as { priority: number; exchange: string };
  return { preference, exchange };
}

/** Undefined: no answer at all. */
function replyTo({ zone, lies }: State, name: string, type: string): Reply | undefined {
  if (name === "." || name === "") {
    return { rcode: 0, answers: [{ name: ".", type: "NS", ttl: TTL, data: "a.root.example" }] };
  }
  if (lies.get(name.toLowerCase()) === "loop") {
    return { rcode: 0, answers: [{ name, type: "CNAME", ttl: TTL, data: name }] };
  }
  const found = lookUp(zone, name, type as DnsType);
  if ("code" in found) {
    return found.code === "ETIMEOUT" ? undefined : { rcode: RCODES[found.code] ?? 1, answers: [] };
  }
  const alias = type === "CNAME" ? undefined : zone[name.toLowerCase()]?.CNAME?.[0];
  const owner = alias ?? name;
  const answers = found.records.map(
    (record) => ({ name: owner, type, ttl: TTL, data: dataOf(type, record) }) as packet.Answer,
  );
  return { rcode: 0, answers: alias ? [{ name, type: "CNAME", ttl: TTL, data: alias }, ...answers] : answers };
}

/** @returns the bytes of the answer; undefined to stay silent */
function answer(state: State, message: Buffer, overUdp: boolean): Buffer | undefined {
  const { id = 0, questions = [] } = packet.decode(message);
  const [question] = questions;
  if (!question) return undefined;
  const { name, type } = question;
  state.asked.push(`${type} ${name}`);
  const lie = state.lies.get(name.toLowerCase());
  if (lie === "garbage") return Buffer.concat([message.subarray(0, 2), Buffer.alloc(40, 0xff)]);
  const reply = replyTo(state, name, type);
  if (!reply) return undefined;
  const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | reply.rcode;
  const base = { type: "response" as const, id: lie === "wrong_id" ? (id + 1) % 65_536 : id, flags, questions };
  const whole = packet.encode({ ...base, answers: reply.answers });
  if (!overUdp || whole.length <= UDP_BYTES) return whole;
  return packet.encode({ ...base, flags: flags | packet.TRUNCATED_RESPONSE, answers: [] });
}

function serveTcp(state: State, socket: Socket): void {
  let buffered: Buffer = Buffer.alloc(0);
  socket.on("error", () => {}); // a resolver that has its answer may reset the connection
  socket.on("data", (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= 2 && buffered.length >= 2 + buffered.readUInt16BE(0)) {
      const end = 2 + buffered.readUInt16BE(0);
      const bytes = answer(state, buffered.subarray(2, end), false);
      buffered = buffered.subarray(end);
      if (!bytes) continue;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      socket.write(length);
      socket.write(bytes);
    }
  });
}

async function bind(state: State, port: number) {
  const udp = createSocket("udp4");
  udp.on("message", (message, from: RemoteInfo) => {
    const bytes = answer(state, message, true);
    if (bytes) udp.send(bytes, from.port, from.address);
  });
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  const tcp = createServer((socket) => serveTcp(state, socket));
  const bound = udp.address().port;
  try {
    tcp.listen(bound, "127.0.0.1");
    await once(tcp, "listening");
  } catch (error) {
    udp.close();
    throw error;
  }
  return { udp, tcp, port: bound };
}

/** @param port 0: any free one */
export async function startDnsServer(zone: Zone, port = 0): Promise<DnsServer> {
  const state: State = { zone, lies: new Map(), asked: [] };
  let bound: Awaited<ReturnType<typeof bind>> | undefined;
  for (let tries = 1; !bound; tries += 1) {
    bound = await bind(state, port).catch((error) => {
      if (port !== 0 || tries >= PORT_TRIES) throw error;
      return undefined;
    });
  }
  const { udp, tcp } = bound;
  const sockets = new Set<Socket>();
  tcp.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return {
    ...state,
    address: `127.0.0.1:${bound.port}`,
    async close() {
      udp.close();
      tcp.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all([once(udp, "close"), once(tcp, "close")]);
    },
  };
}
