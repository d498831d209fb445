// Webhook targets that must be refused, by the trick they try, and the addresses just outside each refused range.

/** First and last address of each special range, and its neighbours on the public internet. */
const V4_RANGES: [first: string, last: string, neighbours: string[]][] = [
  ["0.0.0.0", "0.255.255.255", ["1.0.0.0"]],
  ["10.0.0.0", "10.255.255.255", ["9.255.255.255", "11.0.0.0"]],
  ["100.64.0.0", "100.127.255.255", ["100.63.255.255", "100.128.0.0"]],
  ["127.0.0.0", "127.255.255.255", ["126.255.255.255", "128.0.0.0"]],
  ["168.63.129.16", "168.63.129.16", ["168.63.129.15", "168.63.129.17"]],
  ["169.254.0.0", "169.254.255.255", ["169.253.255.255", "169.255.0.0"]],
  ["172.16.0.0", "172.31.255.255", ["172.15.255.255", "172.32.0.0"]],
  ["192.0.0.0", "192.0.0.255", ["191.255.255.255", "192.0.1.0"]],
  ["192.0.2.0", "192.0.2.255", ["192.0.1.255", "192.0.3.0"]],
  ["192.88.99.0", "192.88.99.255", ["192.88.98.255", "192.88.100.0"]],
  ["192.168.0.0", "192.168.255.255", ["192.167.255.255", "192.169.0.0"]],
  ["198.18.0.0", "198.19.255.255", ["198.17.255.255", "198.20.0.0"]],
  ["198.51.100.0", "198.51.100.255", ["198.51.99.255", "198.51.101.0"]],
  ["203.0.113.0", "203.0.113.255", ["203.0.112.255", "203.0.114.0"]],
  ["224.0.0.0", "239.255.255.255", ["223.255.255.255"]],
  ["240.0.0.0", "255.255.255.255", []],
];

const V6_RANGES: [first: string, last: string, neighbours: string[]][] = [
  ["::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ["2000::"]],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", ["2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"]],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", ["2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"]],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ["2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"]],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", ["3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"]],
  ["4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ["3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]],
];

const SPECIAL_V6 = [
  ...["::1", "::7f00:1", "::127.0.0.1", "::10.0.0.1", "::8.8.8.8", "100::1", "100:0:0:1::1", "5f00::1"],
  ...["::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe"],
  ...["::ffff:168.63.129.16", "::ffff:0.0.0.0", "::ffff:0:127.0.0.1", "::ffff:0:808:808", "::fffe:8.8.8.8"],
  ...["64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::0", "64:ff9b:1::7f00:1"],
  ...[
    "64:ff9b:1::8.8.8.8",
    "64:ff9b:0:0:0:1::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "2002:c0a8:1::1",
    "2002:808:808::1",
  ],
  ...["2001:0:7f00:1::", "2001::80ff:fffe", "2001:2::1", "2001:10::1", "2001:20::1", "fc00::1", "fd00:ec2::254"],
  ...["fd20:ce::254", "fd00:42::42", "fe80::1", "fe80::a9fe:a9fe", "febf::1", "fec0::1", "ff02::1", "ff05::1:3"],
];

/** Notations of IPv4 that a URL parser reads and a naive check does not. */
const ODD_V4 = [
  ...["127.0.0.1", "127.1", "127.0.1", "127.0.0.1.", "2130706433", "017700000001", "0x7f000001", "0x7f.1", "0X7F.1"],
  ...[
    "0177.0.0.1",
    "0177.0.0.01",
    "0x7f.0x0.0x0.0x1",
    "0x7f.0.0.0x1",
    "00000177.0.0.1",
    "127.0x1",
    "0",
    "0x0",
    "0x",
    "00",
  ],
  ...[
    "0.0.0.0",
    "0.0",
    "3232235521",
    "0xC0A80001",
    "167772161",
    "10.1",
    "0xa.1",
    "012.1",
    "192.168.257",
    "172.1048577",
  ],
  ...["2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "0xA9.254.0251.254", "169.16689662"],
  ...["169.254.169.254", "168.63.129.16", "169.254.170.2", "169.254.169.123", "100.100.100.200", "192.0.0.192"],
];

/** Characters that become others when the name is made ASCII (UTS 46). */
const DISGUISED = [
  ...["１２７.0.0.1", "①②⑦.⓪.⓪.①", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "𝟏𝟐𝟕.𝟎.𝟎.𝟏", "𝟭𝟮𝟳.𝟬.𝟬.𝟭", "¹²⁷.₀.0.1"],
  ...[
    "①⑥⑨.②⑤④.①⑥⑨.②⑤④",
    "①⑥⑨。②⑤④。①⑥⑨。②⑤④",
    "０ｘ７ｆ.1",
    "2130７06433",
    "１２７。１",
    "1\u00AD27.0.0.1",
    "127.0.0.\u200B1",
  ],
  ...[
    "%31%32%37.0.0.1",
    "%30x7f.1",
    "127%2E0%2E0%2E1",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "ｌｏｃａｌｈｏｓｔ",
    "𝓁𝑜𝒸𝒶𝓁𝒽𝑜𝓈𝓉",
    "loc\u00ADalhost",
  ],
  ...[
    "LOCALHOST",
    "ⅼocalhost",
    "loca%6chost",
    "metadata。google。internal",
    "printer．local",
    "db｡localhost",
    "ℒocalhost",
  ],
];

/** Names that lead nowhere public whatever a resolver says of them. */
const PRIVATE_NAMES = [
  ...[
    "localhost",
    "localhost.",
    "a.localhost",
    "a.b.localhost.",
    "localhost。",
    "metadata.google.internal",
    "internal",
  ],
  ...["instance-data.ec2.internal", "kubernetes.default.svc.internal", "x.internal.", "printer.local", "nas.home.arpa"],
  ...[
    "x.onion",
    "intranet",
    "kubernetes",
    "redis",
    "host_name",
    "my_service.example.com",
    "a..example.com",
    ".example.com",
  ],
  ...["-a.example.com", "a-.example.com", "example.com.", "example.com..", "exa*mple.com", "exa%00mple.com", "local"],
];

const PORTS = [
  ...[0, 1, 7, 21, 22, 23, 25, 53, 110, 111, 119, 139, 143, 389, 445, 465, 587, 636, 993, 995, 1433, 1521, 2049, 2525],
  ...[3306, 3389, 5060, 5432, 5900, 6000, 6379, 6667, 9042, 10080, 11211, 27017],
];

const SHAPES = [
  ...["", " ", "/", "hooks.example.com", "//hooks.example.com/", "https:", "https://", "https:///hooks.example.com/"],
  ...[
    "https:hooks.example.com",
    "https:/hooks.example.com/",
    "https:\\\\hooks.example.com\\",
    "https://?x",
    "https://#x",
  ],
  ...["ftp://hooks.example.com/", "file:///etc/passwd", "file://hooks.example.com/x", "gopher://hooks.example.com/_x"],
  ...[
    "javascript:alert(1)",
    "data:text/plain,x",
    "ws://hooks.example.com/",
    "wss://hooks.example.com/",
    "dict://h.example/",
  ],
  ...[
    "ldap://hooks.example.com/",
    "blob:https://hooks.example.com/x",
    "view-source:https://hooks.example.com/",
    "jar:x!/",
  ],
  ...["unix:/run/x.sock", "http+unix://%2Frun%2Fx.sock/", "http://hooks.example.com/", "HTTP://hooks.example.com/"],
  ...["https://user:pass@hooks.example.com/", "https://user@hooks.example.com/", "https://@hooks.example.com/"],
  ...[
    "https://:@hooks.example.com/",
    "https://hooks.example.com@127.0.0.1/",
    "https://hooks.example.com:443@127.0.0.1/",
  ],
  ...[
    "https://hooks.example.com%40127.0.0.1/",
    "https://hooks.example.com\\@127.0.0.1/",
    "https://hooks.example.com\\.example.net/",
    "https://hooks.example.com/a\\b",
    "https://127.0.0.1\\@hooks.example.com/",
  ],
  ...[
    "https://127.0.0.1#@hooks.example.com/",
    "https://127.0.0.1?@hooks.example.com/",
    "https://127.0.0.1/@hooks.example.com",
  ],
  ...["https://127.0.0.1:443#.example.com/", "https://hooks.example.com:65536/", "https://hooks.example.com:99999999/"],
  ...[
    "https://hooks.example.com:-1/",
    "https://hooks.example.com:4e2/",
    "https://hooks.example.com:x/",
    "https://a:443:443/",
  ],
  ...[
    "https://hooks.example.com:80:80@127.0.0.1/",
    "https://[::1/",
    "https://::1/",
    "https://[::1]x/",
    "https://[127.0.0.1]/",
  ],
  ...["https://[fe80::1%25eth0]/", "https://[::1%25lo]/", "https://[fe80::1%eth0]/", "https://[v1.x]/", "https://[]/"],
  ...[
    "https://256.256.256.256/",
    "https://1.2.3.4.5/",
    "https://127.0.0.1.1/",
    "https://4294967296/",
    "https://0x100000000/",
  ],
  ...[
    "https://hooks.example.com/\r\nHost: x",
    "https://hooks.example.com/\n",
    "https://hooks.\texample.com/",
    "https://a\0.example/",
  ],
  ...[
    " https://hooks.example.com/",
    "https://hooks.example.com/ ",
    "https://hooks.example.com/a b",
    "https://hooks.example.com/\u2028",
  ],
  ...[
    "https://hooks\u3000.example.com/",
    "https://hooks.example.com/\u0085",
    "\uFEFFhttps://hooks.example.com/",
    "ht\ntps://x.example/",
  ],
  ...["h\u0000ttps://hooks.example.com/", "https://hooks.example.com/\u00A0", "https://１２７.1:0/", "https://xn--/"],
  ...[`https://hooks.example.com/${"a".repeat(2_048)}`, `https://${"a".repeat(64)}.example.com/`],
  ...[
    `https://${"a.".repeat(126)}example.com/`,
    `https://${"a".repeat(100_000)}.example.com/`,
    `https://${"127.".repeat(900)}1/`,
  ],
];

const at = (host: string) => `https://${host}/hook`;
const at6 = (address: string) => `https://[${address}]/hook`;

/** Refused when they are registered, whatever any resolver would say. */
export const REFUSED_BY_TEXT: Record<string, string[]> = {
  "the ends of an IPv4 range": V4_RANGES.flatMap(([first, last]) => [at(first), at(last)]),
  "the ends of an IPv4 range, mapped into IPv6": V4_RANGES.flatMap(([first, last]) => [
    at6(`::ffff:${first}`),
    at6(`64:ff9b::${last}`),
  ]),
  "the ends of an IPv6 range": V6_RANGES.flatMap(([first, last]) => [at6(first), at6(last)]),
  "special IPv6": SPECIAL_V6.map(at6),
  "odd IPv4": ODD_V4.map(at),
  disguised: DISGUISED.map(at),
  "private names": PRIVATE_NAMES.map(at),
  "ports of other protocols": PORTS.map((port) => `https://hooks.example.com:${port}/hook`),
  shapes: SHAPES,
};

/** Addresses that a resolver may give for an innocent name. */
export const SPECIAL_ADDRESSES = [
  ...[...V4_RANGES, ...V6_RANGES].flatMap((range) => range.slice(0, 2) as string[]),
  ...SPECIAL_V6,
  ...["127.0.0.1", "169.254.169.254", "192.168.1.1", "10.1.2.3", "172.17.0.1", "100.100.100.200"],
];

/** Public ones: the neighbours of all ranges, and public IPv4 within IPv6. */
export const CONTROLS = [
  ...new Set([...V4_RANGES, ...V6_RANGES].flatMap(([, , neighbours]) => neighbours)),
  ...["8.8.8.8", "2606:4700::1111", "::ffff:808:808", "64:ff9b::808:808"],
];
