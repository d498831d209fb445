// Mails that ask for an action by a link, beside mails of the same look that ask for none.
import { describe, expect, it } from "vitest";
import { extract } from "#server/extraction/extract.ts";
import { readHtml } from "#server/extraction/html/html.ts";

const NO_REPLY = "no-reply@kelp.example";

function linkOf({ from = NO_REPLY, subject, body }: { from?: string; subject: string; body: string }) {
  const html = body.startsWith("<") ? readHtml(body, subject) : null;
  return extract({ from, subject, text: html ? null : body, html }).link;
}

describe("where a link of a text ends", () => {
  const LINK = "https://kelp.example/verify/7Qd2";
  it.each([
    ["a danda", `अपना ईमेल सत्यापित करें: ${LINK}।`],
    ["a danda and the next sentence", `अपना ईमेल सत्यापित करें: ${LINK}।फिर लौटें।`],
    ["an Armenian full stop", `Հաստատեք ձեր հասցեն՝ ${LINK}։`],
    ["an Ethiopic full stop", `ኢሜይልዎን ያረጋግጡ፦ ${LINK}።`],
    ["an Arabic comma", `تأكيد البريد: ${LINK}، شكرا`],
    ["a Tibetan mark", `Confirm your email: ${LINK}།`],
    ["a German closing quote", `Bitte bestätigen Sie Ihre Adresse unter „${LINK}“.`],
    ["a single closing quote", `Bitte bestätigen Sie Ihre Adresse unter ‚${LINK}‘.`],
    ["an angle quote", `Confirmez votre adresse : «${LINK}».`],
    ["a turned angle quote", `Bekræft din adresse: »${LINK}«.`],
    ["a left-to-right mark", `אישור הכתובת: ${LINK}\u200e\nתודה`],
    ["an unseen space", `Confirm your email: ${LINK}\u200b`],
    ["a byte order mark and a full stop", `Confirm your email: ${LINK}\ufeff.`],
    ["three dots and a bracket", `Confirm your email (or ${LINK})...`],
    ["a dash of the sentence", `Confirm your email at ${LINK}—it takes a minute.`],
    ["a finger", `Confirm your email: ${LINK}👈️`],
    ["underscores on both sides", `Confirm your email: _${LINK}_`],
    ["a Turkish ending", `Adresini doğrula: ${LINK}'yi aç.`],
    ["a Georgian ending", `დაადასტურეთ ელფოსტა ${LINK}-ზე`],
  ])("%s", (_, body) => {
    expect(linkOf({ subject: "", body })).toBe(LINK);
  });

  it.each([
    ["brackets in pairs", "https://kelp.example/verify/(team)/7Qd2"],
    ["a list of parameters", "https://kelp.example/verify;v=2;u=7/7Qd2.a.b"],
    ["an underscore at its end", "https://kelp.example/verify?t=7Qd2_"],
    ["equals signs at its end", "https://kelp.example/verify?t=7Qd2=="],
    ["letters beyond ASCII", "https://kelp.example/verify/größe/7Qd2"],
    ["Cyrillic letters", "https://kelp.example/verify/7/привет"],
    ["encoded octets", "https://kelp.example/verify?t=a%2Bb%2F7%3D"],
  ])("and keeps %s", (_, link) => {
    expect(linkOf({ subject: "", body: `Confirm your email: ${link}.` })).toBe(link);
    expect(linkOf({ subject: "", body: `Confirm your email (${link}).` })).toBe(link);
  });

  it.each([
    ["after a hyphen", "https://kelp.example/confirm/3f-\n9a-b1\n\nThanks", "https://kelp.example/confirm/3f-9a-b1"],
    ["amid an octet", "https://kelp.example/confirm?t=3f%2\nB9a\n\nThanks", "https://kelp.example/confirm?t=3f%2B9a"],
    ["indented", "  https://kelp.example/confirm?t=\n  3f9a\n\nThanks", "https://kelp.example/confirm?t=3f9a"],
    ["at an unseen place", "https://kelp.example/con\u200bfirm/3f9a", "https://kelp.example/confirm/3f9a"],
    ["not before a name", "https://kelp.example/confirm/3f-\nMarion", "https://kelp.example/confirm/3f-"],
    ["not before a ruler", "https://kelp.example/confirm/3f-\n-----", "https://kelp.example/confirm/3f-"],
  ])("and is broken %s", (_, written, link) => {
    expect(linkOf({ subject: "", body: `Confirm your email:\n${written}` })).toBe(link);
  });
});

const button = (url: string, words: string) =>
  `<table><tr><td bgcolor="#036"><a href="${url}" style="color:#fff;padding:12px">${words}</a></td></tr></table>`;

type Row = [name: string, subject: string, body: string, link: string | null];

const ASKED: Row[] = [
  [
    "Markdown",
    "Welcome",
    "## Hi\n\n**[Activate account](https://kelp.example/activate/mo__rk)**\n\n[Manual](https://kelp.example/manual) - [Forum](https://forum.example/kelp2)",
    "https://kelp.example/activate/mo__rk",
  ],
  [
    "a reference below the text",
    "Your account",
    "Please confirm your email address [1]. Our manual is online [2].\n\n[1]: https://kelp.example/c/41\n[2]: https://kelp.example/manual/2",
    "https://kelp.example/c/41",
  ],
  [
    "a device that waits for a code",
    "Connect your television",
    "To connect the television, open this page on your phone:\n\nhttps://kelp.example/tv\n\nand enter the code WXKD-7QRM.",
    "https://kelp.example/tv",
  ],
  [
    "a device, in one sentence",
    "Neues Gerät",
    "Öffnen Sie https://kelp.example/geraet und geben Sie den Code 4821-9930 ein. Er gilt 15 Minuten.\n\nHilfe: https://kelp.example/hilfe",
    "https://kelp.example/geraet",
  ],
  [
    "a device, behind a button",
    "Anmeldung am Terminal",
    `<p>Ihr Code: <b>KD72-QXPM</b></p><p>Geben Sie ihn auf dieser Seite ein:</p>${button("https://kelp.example/device", "Seite öffnen")}<p><a href="https://kelp.example/hilfe">Hilfe</a></p>`,
    "https://kelp.example/device",
  ],
  [
    "a device, in steps",
    "Link your console",
    "1. Visit https://kelp.example/console\n2. Enter the code KD72-QXPM\n\nNot you? https://kelp.example/security",
    "https://kelp.example/console",
  ],
  [
    "a document to sign",
    "Lease of the studio",
    "Hello Ann,\n\nMarc asks you to sign the lease of the studio:\nhttps://sign.example/d/4kTz9\n\nQuestions? Answer this mail.",
    "https://sign.example/d/4kTz9",
  ],
  [
    "a document to review and sign",
    "Signature requested: Offer letter",
    `<p>Marc sent you a document.</p>${button("https://sign.example/e/91ab", "Review and sign")}<p><a href="https://sign.example/e/91ab/decline">Decline</a></p>`,
    "https://sign.example/e/91ab",
  ],
  [
    "a document to sign in German",
    "Vertrag zur Unterschrift",
    `<p>Ihr Vertrag liegt bereit.</p>${button("https://sign.example/v/77c", "Jetzt unterschreiben")}`,
    "https://sign.example/v/77c",
  ],
  [
    "a document to sign in French",
    "Votre contrat",
    "Bonjour,\n\nveuillez signer le contrat ici : https://sign.example/c/83\n\nMerci",
    "https://sign.example/c/83",
  ],
  [
    "a document to sign in Swedish",
    "Avtal att underteckna",
    `<p>Hej! Avtalet väntar på dig.</p>${button("https://sign.example/a/5d2", "Underteckna avtalet")}`,
    "https://sign.example/a/5d2",
  ],
  [
    "the address of an order among tracking links",
    "Order 5512: confirm the shipping address",
    "Your order 5512 is packed.\nBefore it leaves, please confirm the shipping address:\nhttps://kelp.example/orders/5512/address/verify?s=k2\n\nTrack it: https://kelp.example/orders/5512/track\nReturns: https://kelp.example/returns/5512",
    "https://kelp.example/orders/5512/address/verify?s=k2",
  ],
  [
    "the address of an order in French",
    "Votre commande",
    "Merci de confirmer votre adresse de livraison : https://kelp.example/a/71\nSuivre le colis : https://kelp.example/suivi/71",
    "https://kelp.example/a/71",
  ],
  [
    "Malay, with a link that leads to a list",
    "Sahkan e-mel anda",
    "Hai, sila sahkan akaun di https://kedai.example/p/4 hari ini. Katalog: https://kedai.example/katalog",
    "https://kedai.example/p/4",
  ],
  [
    "Filipino, by the subject alone",
    "Kumpirmahin ang account",
    "Magandang araw! Pindutin lang ito: https://tindahan.example/t/5\nMga produkto: https://tindahan.example/produkto",
    "https://tindahan.example/t/5",
  ],
  [
    "Kannada with a joined word",
    "ಇಮೇಲ್ ದೃಢೀಕರಿಸಿ",
    "ನಮಸ್ಕಾರ, ಇಮೇಲ್ ದೃಢೀಕರಿಸಲು: https://sangha.example/d/3\nನಿಯಮಗಳು: https://sangha.example/niyama",
    "https://sangha.example/d/3",
  ],
  [
    "Tamil with a joined word",
    "கணக்கு",
    "வணக்கம், கணக்கை உறுதிசெய்யவும்: https://sangam.example/k/8\nவிதிகள்: https://sangam.example/vithi",
    "https://sangam.example/k/8",
  ],
  [
    "Urdu with its full stop",
    "اکاؤنٹ",
    "اکاؤنٹ کی تصدیق کیجیے: https://mehfil.example/s/2۔ شرائط: https://mehfil.example/sharait",
    "https://mehfil.example/s/2",
  ],
  [
    "no known language: one link alone in its line beside a duration",
    "Zorel tikan",
    "Mada valo pelu garsu zorel tikan.\n\nhttps://zorel.example/t/4f1a\n\nValo 24 orat.\n\nZorel\nhttps://zorel.example/",
    "https://zorel.example/t/4f1a",
  ],
  [
    "an account in Slovak",
    "Váš účet",
    "Dobrý deň, potvrďte prosím účet: https://kniznica.example/u/5\nOtváracie hodiny: https://kniznica.example/hodiny",
    "https://kniznica.example/u/5",
  ],
  [
    "a short token of letters behind an order",
    "Confirm your email",
    `<p>Nearly done.</p>${button("https://kelp.example/e?token=kqzr", "Confirm email")}`,
    "https://kelp.example/e?token=kqzr",
  ],
  [
    "one of three links in a personal folder",
    "Confirm your email",
    "Confirm your email:\nhttps://kelp.example/u/7f3a9/confirm\nSettings:\nhttps://kelp.example/u/7f3a9/settings\nNot you?\nhttps://kelp.example/u/7f3a9/stop",
    "https://kelp.example/u/7f3a9/confirm",
  ],
  [
    "an invitation beside pages of the same folder",
    "Ida invited you to Reef",
    "Hi,\n\nIda invited you to the group Reef.\n\nhttps://kelp.example/group/37/join-group\n\nWhat is Reef?\nhttps://kelp.example/group/37/about\n\nQuestions?\nhttps://kelp.example/group/37/support",
    "https://kelp.example/group/37/join-group",
  ],
  [
    "a password beside the footer of a year",
    "New password",
    `<p>You asked for a new password.</p>${button("https://kelp.example/2025/new-password-reset", "Choose a password")}<p><a href="https://kelp.example/2025/terms">Terms</a> <a href="https://kelp.example/2025/imprint">Imprint</a> <a href="https://kelp.example/2025/shop">Shop</a></p>`,
    "https://kelp.example/2025/new-password-reset",
  ],
  [
    "one of three pages of a person, behind a colon",
    "Your account",
    "Please activate your account:\nhttps://kelp.example/p/88/activate\n\nThe shop: https://kelp.example/p/88/shop\nThe map: https://kelp.example/p/88/map",
    "https://kelp.example/p/88/activate",
  ],
  [
    "one of three pages of a person, by its words",
    "Your account",
    `<p>Welcome.</p>${button("https://kelp.example/p/88/start", "Verify my email")}<p><a href="https://kelp.example/p/88/shop">Shop</a> <a href="https://kelp.example/p/88/map">Map</a></p>`,
    "https://kelp.example/p/88/start",
  ],
  [
    "one of three pages of a person, in its sentence",
    "Your account",
    "To confirm your address, open https://kelp.example/p/88/go\n\nThe shop: https://kelp.example/p/88/shop\nThe map: https://kelp.example/p/88/map",
    "https://kelp.example/p/88/go",
  ],
  [
    "one of three pages of a person in Swedish",
    "Bekräfta ditt konto",
    "Hej!\n\nBekräfta ditt konto: https://kelp.example/p/88/bekrafta\n\nButiken: https://kelp.example/p/88/butik\nKartan: https://kelp.example/p/88/karta",
    "https://kelp.example/p/88/bekrafta",
  ],
  [
    "a token of letters beside two pages",
    "Confirm your email",
    "Confirm your email:\nhttps://kelp.example/confirm/5/qwmzrtkd-bhvn\n\nhttps://kelp.example/confirm/5/faq\nhttps://kelp.example/confirm/5/privacy",
    "https://kelp.example/confirm/5/qwmzrtkd-bhvn",
  ],
];

const NOT_ASKED: Row[] = [
  [
    "a newsletter with one reading link",
    "Kelp letter 12",
    "This week: how we count kelp in 30 minutes.\n\nhttps://kelp.example/letters/12\n\nUnsubscribe: https://kelp.example/u/77",
    null,
  ],
  [
    "Markdown with reading links",
    "Release 4.2",
    "# 4.2\n\n- [Notes](https://kelp.example/notes/42)\n- [How to verify a build](https://kelp.example/docs/verify/42)",
    null,
  ],
  [
    "a code, and where help is",
    "Your code",
    "Your code is 482913. Enter it on the page you have open.\n\nHelp: https://kelp.example/help/codes",
    null,
  ],
  [
    "a code below a link to a shop",
    "Your code",
    "We have new things: https://kelp.example/shop/new\n\nEnter the code 482913 in the app.",
    null,
  ],
  ["a code, and the home page", "Your code", "Enter the code 482913 at https://kelp.example/ to continue.", null],
  [
    "a code, and a warning",
    "Ihr Code",
    "Geben Sie den Code 482913 in der App ein.\n\nWaren Sie das nicht? https://kelp.example/sicherheit",
    null,
  ],
  [
    "a signed document",
    "Completed: Lease of the studio",
    "All parties have signed the lease. Your copy: https://sign.example/d/4kTz9/copy",
    null,
  ],
  [
    "a signature of a parcel",
    "Parcel",
    "The parcel 5512 needs a signature. Track it: https://kelp.example/t/5512",
    null,
  ],
  [
    "an order with tracking links",
    "Order 5512",
    "Your order is confirmed. We ship it to the delivery address below.\nTrack it: https://kelp.example/orders/5512/track\nInvoice: https://kelp.example/orders/5512/invoice",
    null,
  ],
  [
    "the page of a confirmed order",
    "Order confirmation 5512",
    "Thank you! See your order confirmation: https://kelp.example/orders/5512/confirmation",
    null,
  ],
  [
    "a delivery that is confirmed",
    "Confirm your delivery",
    "Please confirm your delivery for Monday: https://kelp.example/d/5512",
    null,
  ],
  ["a Malay order", "Pesanan anda", "Pesanan 5512 telah dihantar. Jejak: https://kedai.example/p/5512", null],
  [
    "a Filipino letter",
    "Balita ng tindahan",
    "Basahin ang bagong kuwento: https://tindahan.example/k/5\nMga produkto: https://tindahan.example/p/6",
    null,
  ],
  [
    "a booking in Danish",
    "Bekræftelse af din booking",
    "Hej Bo, her er bekræftelsen: https://hotel.example/b/5512",
    null,
  ],
  [
    "a party in Basque",
    "Gonbidapena",
    "Kaixo, ostiraleko festara gonbidatuta zaude: https://elkartea.example/f/12",
    null,
  ],
  ["a statement of an account in Malay", "Penyata akaun", "Penyata akaun November: https://bank.example/p/8812", null],
  ["a petition", "Sign", "Sign the petition for the kelp: https://act.example/p/812", null],
  ["a Tamil letter", "இந்த வாரம்", "புதிய கதை: https://sangam.example/k/8\nபடங்கள்: https://sangam.example/p/9", null],
  ["an Urdu letter", "اس ہفتے", "نئی کہانی: https://mehfil.example/s/2۔ تصاویر: https://mehfil.example/t/3", null],
  [
    "no known language: one link alone in its line and no duration",
    "Zorel tikan",
    "Mada valo pelu garsu.\n\nhttps://zorel.example/t/4f1a\n\nZorel",
    null,
  ],
  [
    "no known language: links alone in their lines, and a duration",
    "Zorel tikan",
    "Mada valo:\nhttps://zorel.example/t/41\nPelu garsu, 30 minte:\nhttps://zorel.example/t/42\nTikan:\nhttps://zorel.example/t/43",
    null,
  ],
  ["no known language: a price", "Zorel tikan", "Mada valo pelu 24 orat: 30 €.\n\nhttps://zorel.example/t/4f1a", null],
  [
    "a person who shares an album",
    "Photos",
    "Hi Ann, the photos are at https://photos.example/a/9Kd2. See you at 10 on Sunday!",
    null,
  ],
  [
    "an answer with a quoted request",
    "Re: Confirm your email",
    "Is this from you?\n\n> Confirm your email: https://kelp.example/verify/7Qd2",
    null,
  ],
  [
    "help for signing",
    "Your contract",
    `<p>The contract is with our lawyer.</p><p><a href="https://kelp.example/help/sign/4">How to sign a document</a></p>`,
    null,
  ],
  [
    "the articles of an issue",
    "Issue 71: sign-in, again",
    "Sign in with a link: what we measured\nhttps://weekly.example/71/measured-links\n\nReset your password, a history\nhttps://weekly.example/71/reset-history\n\nNews\nhttps://weekly.example/71/news",
    null,
  ],
  [
    "the articles of a year in German",
    "Neues im Dezember",
    "Konto bestätigen, aber richtig\nhttps://magazin.example/2026/konto-bestaetigen\n\nPasskeys im Test\nhttps://magazin.example/2026/passkeys\n\nLeserbriefe\nhttps://magazin.example/2026/leserbriefe",
    null,
  ],
  [
    "the articles of an issue beside a colon",
    "Issue 72",
    "In this issue\n\nhttps://weekly.example/72/verify-everything\nhttps://weekly.example/72/login-pages\nhttps://weekly.example/72/reset-history\n\nManage your subscription: https://weekly.example/72/settings",
    null,
  ],
];

describe("the action of a mail", () => {
  it.each(ASKED)("is its link: %s", (_, subject, body, link) => {
    expect(linkOf({ subject, body })).toBe(link);
  });

  it.each(NOT_ASKED)("is no link: %s", (_, subject, body, link) => {
    expect(linkOf({ subject, body, ...(subject === "Photos" && { from: "ben@kelp.example" }) })).toBe(link);
  });
});

it("of two links that may be meant, the better one is given, wherever it stands", () => {
  const asked = "Please confirm your new address:\nhttps://kelp.example/confirm/9c41e7d2\n";
  const beside = "Your garden diary:\nhttps://kelp.example/login?k=51aa07\n";
  for (const body of [`${asked}\n${beside}`, `${beside}\n${asked}`])
    expect(linkOf({ subject: "Hello", body })).toBe("https://kelp.example/confirm/9c41e7d2");
});
