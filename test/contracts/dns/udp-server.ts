// A DNS server on loopback that serves a test zone over UDP.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import packet from "dns-packet";
import type { DnsType } from "#server/ports/dns.ts";
import { lookUp, type Zone } from "#test/support/zone.ts";

const RCODES: Record<string, number> = { ENODATA: 0, ESERVFAIL: 2, ENOTFOUND: 3, EREFUSED: 5 };
const TTL = 60;

export type UdpServer = {
  /** As the adapter's setting takes it. */
  address: string;
  /** `TXT example.com`, in the order asked. */
  asked: string[];
  close(): Promise<void>;
};

function answersOf(zone: Zone, name: string, type: string): { rcode: number; answers: packet.Answer[] } | undefined {
  if (name === "." || name === "") {
    return { rcode: 0, answers: [{ name: ".", type: "NS", ttl: TTL, data: "a.root.example" }] };
  }
  const found = lookUp(zone, name, type as DnsType);
  if ("code" in found) {
    return found.code === "ETIMEOUT" ? undefined : { rcode: RCODES[found.code] ?? 1, answers: [] };
  }
  const data = (record: unknown) =>
    type === "MX"
      ? {
          preference: (record as { priority: number }).priority,
          exchange: (record as { exchange: string }).exchange,
        }
      : // dns-packet turns the strings of a TXT record into buffers in place.
        structuredClone(record);
  const alias = type === "CNAME" ? undefined : zone[name]?.CNAME?.[0];
  const owner = alias ?? name;
  const answers = found.records.map((record) => ({ name: owner, type, ttl: TTL, data: data(record) }) as packet.Answer);
  return { rcode: 0, answers: alias ? [{ name, type: "CNAME", ttl: TTL, data: alias }, ...answers] : answers };
}

export async function startUdpServer(zone: Zone, port = 0): Promise<UdpServer> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (message, from) => {
    const query = packet.decode(message);
    const question = query.questions?.[0];
    if (!question) return;
    asked.push(`${question.type} ${question.name}`);
    const reply = answersOf(zone, question.name, question.type);
    if (!reply) return;
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | reply.rcode;
    const { id, questions } = query;
    socket.send(
      packet.encode({ type: "response", id: id ?? 0, flags, questions, answers: reply.answers }),
      from.port,
      from.address,
    );
  });
  socket.bind(port, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close();
      await once(socket, "close");
    },
  };
}
