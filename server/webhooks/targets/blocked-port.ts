// Ports of protocols other than HTTP: a request sent there could be interpreted as commands of that protocol.

/** WHATWG Fetch, "bad port", as in browsers. */
const BROWSERS = [
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
  ],
  ...[532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060],
  ...[5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
];
/** Other services that accept text commands: SMB, databases, caches, remote desktops, and more ports of SMTP. */
const OTHERS = [445, 1433, 1521, 2525, 3306, 3389, 5432, 5900, 6379, 9042, 11211, 27017];

const BLOCKED = new Set([...BROWSERS, ...OTHERS]);

/** Whether a port cannot belong to a public endpoint. */
export function isBlockedPort(port: number): boolean {
  return BLOCKED.has(port);
}
