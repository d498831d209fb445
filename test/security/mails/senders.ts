// From headers of mail that evil.example signs: those that show another sender, and honest ones. The address of each forged one
// that has a valid address is a@evil.example, unless `from` says another.

export type ForgedFrom = { name: string; header: string; from?: string; says: string };

const CLAIM = "shows ceo@bank.example";

/** The rules were written with these. */
export const forged: ForgedFrom[] = [
  { name: "a quoted name", header: '"ceo@bank.example" <a@evil.example>', says: CLAIM },
  { name: "a name in an encoded word", header: "=?utf-8?q?ceo=40bank=2Eexample?= <a@evil.example>", says: CLAIM },
  { name: "a name in base64", header: "=?utf-8?b?Y2VvQGJhbmsuZXhhbXBsZQ==?= <a@evil.example>", says: CLAIM },
  {
    name: "an encoded word that closes a quote",
    header: "=?utf-8?q?=22_=3Cceo=40bank=2Eexample=3E?= <a@evil.example>",
    says: CLAIM,
  },
  { name: "an address within a name", header: '"The CEO (ceo@bank.example)" <a@evil.example>', says: CLAIM },
  { name: "a comment", header: "Bob (ceo@bank.example) <a@evil.example>", says: CLAIM },
  { name: "a comment alone", header: "a@evil.example (ceo@bank.example)", says: CLAIM },
  { name: "nested comments", header: "Bob (x (ceo@bank.example) y) <a@evil.example>", says: CLAIM },
  { name: "a name without quotes", header: "ceo@bank.example <a@evil.example>", says: CLAIM },
  { name: "a folded header", header: '"ceo@bank.example"\r\n\t<a@evil.example>', says: CLAIM },
  { name: "invisible characters", header: '"ceo\u200b@ba\u00adnk.exa\u2060mple" <a@evil.example>', says: CLAIM },
  { name: "the reversed direction", header: '"\u202eelpmaxe.knab@oec" <a@evil.example>', says: CLAIM },
  { name: "letter forms of Unicode", header: '"ceo\uff20bank\u3002example" <a@evil.example>', says: CLAIM },
  { name: "spaces around the signs", header: '"ceo @ bank . example" <a@evil.example>', says: CLAIM },
  { name: "a domain", header: '"bank.example via Mail" <a@evil.example>', says: "shows bank.example" },
  { name: "a URL", header: '"https://bank.example/help" <a@evil.example>', says: "shows bank.example" },
  { name: "a host with www", header: '"www.bank.example" <a@evil.example>', says: "shows bank.example" },
  { name: "a domain of another script", header: '"bаnk.com" <a@evil.example>', says: "shows xn--bnk-6cd.com" },
  {
    name: "a quoted local part",
    header: '"ceo@bank.example"@evil.example',
    from: '"ceo@bank.example"@evil.example',
    says: "has ceo@bank.example before its own domain",
  },
  {
    name: "a percent sign",
    header: "<ceo%bank.example@evil.example>",
    from: "ceo%bank.example@evil.example",
    says: "has ceo@bank.example before its own domain",
  },
  {
    name: "a bang path",
    header: "<bank.example!ceo@evil.example>",
    from: "bank.example!ceo@evil.example",
    says: "has bank.example before its own domain",
  },
];

/** From headers without one valid address. `from` is that of the envelope, w@evil.example, unless another is given. */
export const broken: ForgedFrom[] = [
  { name: "a comma in the address", header: "<ceo@bank.example,a@evil.example>", says: CLAIM },
  { name: "two at signs", header: "<ceo@bank.example@evil.example>", says: "has no valid address" },
  { name: "a source route", header: "<@bank.example,@relay.example:a@evil.example>", says: "has no valid address" },
  {
    name: "a comment in the address",
    header: "<ceo@bank.example(a@evil.example)>",
    from: "ceo@bank.example",
    says: "shows a@evil.example, but the address is ceo@bank.example",
  },
  { name: "an empty address", header: "ceo@bank.example <>", says: CLAIM },
  { name: "no domain", header: "ceo <ceo@>", says: "has no valid address" },
  { name: "a second at sign", header: "<ceo\uff20bank.example@evil.example>", says: CLAIM },
  {
    name: "an encoded word alone",
    header: "=?utf-8?q?CEO_=3Cceo=40bank=2Eexample=3E?=",
    says: CLAIM,
  },
  {
    name: "a group",
    header: "ceo at bank: a@evil.example;",
    from: "a@evil.example",
    says: "is not exactly one valid address",
  },
  {
    name: "an address after the address",
    header: "<a@evil.example> ceo@bank.example",
    from: "a@evil.example",
    says: CLAIM,
  },
];

/** Honest headers of evil.example's own mail, and of names that only look like domains. */
export const honest: string[] = [
  "a@evil.example",
  "<a@evil.example>",
  "a@evil.example <a@evil.example>",
  '"a@evil.example" <a@evil.example>',
  "Alice (alice@evil.example) <alice@mail.evil.example>",
  '"evil.example Support" <help@mail.evil.example>',
  "Alice via List <list@evil.example>",
  "GitHub <noreply@evil.example>",
  "Smith, Jr <smith@evil.example>",
  '"Lovelace, Ada" <ada@evil.example>',
  '"Ada @ Work" <ada@evil.example>',
  "Bob @ Acme Inc. Team <bob@evil.example>",
  '"Dr.med. Anna Muster" <praxis@evil.example>',
  '"Wei.Li" <wei.li@evil.example>',
  '"J.Kim" <j@evil.example>',
  '"Node.js Foundation" <news@evil.example>',
  "=?utf-8?q?J=C3=BCrgen_M=C3=BCller?= <jm@evil.example>",
  "Taro <a..b.@evil.example>",
];
