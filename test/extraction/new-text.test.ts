// What is new in a reply: real clients' forms in thirteen languages, and bodies made to waste time.
import { describe, expect, test } from "vitest";
import { readHtml } from "#server/extraction/html/html.ts";
import { newText } from "#server/extraction/new-text.ts";
import { eastern } from "./reply-samples/eastern.ts";
import { english } from "./reply-samples/english.ts";
import { germanic } from "./reply-samples/germanic.ts";
import { html } from "./reply-samples/html.ts";
import { romance } from "./reply-samples/romance.ts";

const MIB = 1024 * 1024;
const ATTRIBUTION = "On Mon, Jan 1, 2024 at 10:00 AM Ann <ann@example.com> wrote:\n";

describe.each(Object.entries({ english, germanic, romance, eastern, html }))("%s", (_, samples) => {
  test.each(samples)("$name", (sample) => {
    const body = "html" in sample ? { text: null, html: readHtml(sample.html) } : { text: sample.text, html: null };
    expect(newText(body)).toBe(sample.expected);
  });
});

describe("no text and odd text", () => {
  test("a mail without text has no new text", () => {
    expect(newText({ text: null, html: null })).toBeNull();
    expect(newText({ text: " \r\n", html: readHtml("<img src=x>") })).toBeNull();
  });

  test("HTML that shows nothing leaves the word to the text", () => {
    expect(newText({ text: "hello", html: readHtml("<p hidden>x</p>") })).toBe("hello");
  });

  test("a mail that is a signature alone keeps it", () => {
    expect(newText({ text: "-- \nBob", html: null })).toBe("-- \nBob");
  });

  test("invisible characters are not in it", () => {
    expect(newText({ text: "a\u200bb\u202ec", html: null })).toBe("abc");
  });
});

describe("the sender's own words behind a line of dashes", () => {
  test("minutes of several sentences are no signature, even behind the exact delimiter", () => {
    const minutes = [
      "La reunión empezó a las siete y asistieron cinco vecinos.",
      "Se aprobó por unanimidad pintar la escalera en marzo.",
      "El administrador pedirá dos presupuestos antes de enero.",
    ].join("\n");
    const text = `Os paso el acta.\n-- \n${minutes}\n\nUn abrazo`;
    expect(newText({ text, html: null })).toBe(text);
  });

  test("what stands below a marker of a help desk between dashes is none", () => {
    const text = "Działa, dzięki.\n\n------- Prosimy odpowiadać powyżej tej linii -------\n\nZgłoszenie 88 zamknięto.";
    expect(newText({ text, html: null })).toBe("Działa, dzięki.");
  });
});

describe("the sender's own lines with quote marks above a quote", () => {
  const code = "Run this:\n\n> brew pump\n> done\n\nThen try again.";
  const written = "On 26 Nov 2026 at 16:11, Ann <ann@pump.example> wrote:";

  test("are kept where the quote does not have them", () => {
    const text = `${code}\n\n${written}\n> How is the pump built?`;
    expect(newText({ text, html: null })).toBe(code);
  });

  test("are kept in HTML, where the client marked the quote", () => {
    const pre = "<p>Run this:</p><pre>&gt; brew pump\n&gt; done</pre><p>Then try again.</p>";
    const gmail = `<div class="gmail_quote"><div class="gmail_attr">${written}</div><blockquote>How?</blockquote></div>`;
    const apple = `<blockquote type="cite"><div>${written.replace(/[<>]/g, "")}</div><div>How?</div></blockquote>`;
    for (const quote of [gmail, apple.replace("ann@", "&lt;ann@").replace(" wrote", "&gt; wrote")]) {
      expect(newText({ text: null, html: readHtml(pre + quote) })).toBe(code);
    }
  });

  test("are left out where the quote has them", () => {
    const text = `> How is the pump built?\n\nWith care.\n\n${written}\n> How is the pump built?\n> And when?`;
    expect(newText({ text, html: null })).toBe("With care.");
  });
});

describe("what stands below two dashes and a space", () => {
  const above = "Hello Bea,\n\nthis is what we cook.";
  test.each([
    ["a list of lines without an address", "soup\nbread\nfish\nleek\ncake\ntea"],
    ["lines of a form below a name", "Lee\n\nFirst: soup of leek\nSecond: fish\nThird: cake"],
    ["a form with a telephone", "Guests: four\nTelephone: +47 55 12 34 56\nWish: a table at the window"],
    ["lines with numbers and colons below a name", "Lee\n\nPier 4: fish\nPier 5: boxes"],
    ["a title above sentences", "Dinner on Saturday\n\nWe begin at seven. Please bring a chair for yourself."],
    [
      "a postscript whose sentences wrap",
      "Please tell me by Thursday noon how many of you will come,\nbecause we order the fish from the boat on that day and\nnobody should stay without a plate at the long table",
    ],
  ])("is kept: %s", (_, below) => {
    expect(newText({ text: `${above}\n-- \n${below}\n`, html: null })).toBe(`${above}\n-- \n${below}`);
  });

  test("is left out: the sender's name above a postscript", () => {
    const text = `${above}\n-- \nLee\n\nP.S. Please bring a chair for yourself.`;
    const left = `${above}\n\nP.S. Please bring a chair for yourself.`;
    expect(newText({ text, html: null }, { sender: "Moss, Lee" })).toBe(left);
  });

  test("is left out: a long signature with an address", () => {
    const signature = "Lee Moss\nHead of kitchens\nMoss and Daughters\nPier Street 4\n5003 Bergen\n+47 55 12 34 56";
    expect(newText({ text: `${above}\n-- \n${signature}\n`, html: null })).toBe(above);
  });
});

describe("the introduction of a program", () => {
  const answer = "Yes, on Friday.";
  const table = (sender: string, to: string) =>
    `<p>${answer}</p><table><tr><td><b>${sender}</b><p>26/11/2026 16:11</p></td><td><table><tr><td><div>Ku</div></td><td>${to}</td></tr><tr><td><div>Into</div></td><td>the red gate</td></tr></table></td></tr></table><tt>Do you come?</tt>`;
  test.each([
    ["of GroupWise", `${answer}\n\n>>> Ann Lee <ann@gate.example> 26/11/26 4:11 PM >>>\nDo you come?\n\nAnn`],
    ["of GroupWise, twice", `${answer}\n\n>>> Ann 26/11/26 4:11 PM >>>\nCome?\n\n>>> Lee 25/11/26 4:11 PM >>>\nNo.`],
    ["of Jira", `${answer}\n\n—-—-—-—\n\nReply above this line.\n\nAnn commented: do you come?`],
    [
      "of Centrum",
      `${answer}\n______________\n> Od: Ann <ann@gate.example>\n> Komu: lee\n> Datum: 26.11.2026\n>\nDo you come?`,
    ],
    ["of Gnus", `${answer}\n\n>>>>> Ann Lee <ann@gate.example> writes:\n\nAL> Do you come?\nAL> When?`],
    ["of Nextcloud", `${answer}\n\n"Ann Lee" ann@gate.example – 26 November 2026 16:11\n> Do you come?`],
    [
      "of Aliyun",
      `${answer}\n\n----------\n发件人：Ann <ann@gate.example>\n发送时间：2026年11月26日 16:11\n主　题：门\n\n来吗?`,
    ],
    [
      "with joined words",
      `${answer}\n\nOna‌wo: Ann <ann@gate.example>\nLu‌suku: 26 Nov 2026 16:11\nKu: lee@gate.example\n\nCome?`,
    ],
    ["of Notes in cells", table("Ann &lt;ann@gate.example&gt;", "Lee Moss/BER/GATE")],
    ["of Notes in cells, with the address beside a label", table("Ann &lt;ann@gate.example&gt;", "lee@gate.example")],
  ])("%s is left out with what stands below", (_, body) => {
    const parts = body.startsWith("<") ? { text: null, html: readHtml(body) } : { text: body, html: null };
    expect(newText(parts, { subject: "Re: the red gate" })).toBe(answer);
  });

  test.each([
    ["a prompt", ">>> import pump\n>>> pump.start()\n26 bar"],
    ["a ruler between two parts", "The gate is open.\n\n----------\n\nThe roof comes next."],
    ["a table of the sender", "Ann\n26.11.2026 16:11\nWhat\nthe red door\nWho\nLee"],
    [
      "an answer about a line, below a ruler",
      "Two cables.\n-----\nThe answer lies above the blue line in the old cellar.\nSo we replace it.",
    ],
  ])("%s is none", (_, text) => {
    expect(newText({ text, html: null }, { subject: "Re: the red gate" })).toBe(text);
  });

  test("below one quote and above another, a line with an address and a time is the sender's", () => {
    const own = "Write to lee@gate.example until 26.11.2026 16:11";
    expect(newText({ text: `> When?\n\n${own}\n\n> And who?\n\nLee.`, html: null })).toBe(`${own}\n\nLee.`);
  });
});

test("a quote mark alone is never the sender's", () => {
  const text =
    "<p>Yes.</p><blockquote><p>Ann &lt;a@b.example&gt;, 26.11.2026, 16:11:</p></blockquote><blockquote><br></blockquote>";
  expect(newText({ text: null, html: readHtml(text) })).toBe("Yes.");
  expect(newText({ text: ">\nYes.\n>\n>", html: null }, { answers: false })).toBe("Yes.");
});

describe("a blockquote as content", () => {
  const bar = '<blockquote style="border-left:2px solid">The gate stays open.</blockquote>';
  const indent = '<blockquote style="margin:0 0 0 40px;border:none;padding:0px">The gate stays open.</blockquote>';
  test.each([
    ["with a bar keeps its marks", `<p>The rule says:</p>${bar}<p>So it is.</p>`, "> The gate stays open."],
    ["that only indents has none", `<p>The rule says:</p>${indent}<p>So it is.</p>`, "The gate stays open."],
  ])("%s", (_, html, line) => {
    expect(newText({ text: null, html: readHtml(html) })).toBe(`The rule says:\n\n${line}\n\nSo it is.`);
  });

  test("that holds the whole mail has none", () => {
    expect(newText({ text: null, html: readHtml(bar) })).toBe("The gate stays open.");
  });
});

describe("a hostile body ends", () => {
  const bodies: [string, string][] = [
    ["one line of spaces", " ".repeat(2 * MIB)],
    ["quote marks", ">".repeat(MIB)],
    ["lines of quote marks", ">\n".repeat(MIB)],
    ["empty lines", "\n".repeat(2 * MIB)],
    ["attributions", ATTRIBUTION.repeat(40_000)],
    ["attributions that may be none", "Ann wrote:\n\n\n\n".repeat(100_000)],
    ["beginnings of attributions in a line", "On ".repeat(700_000)],
    ["beginnings of attributions in lines", "On \n".repeat(500_000)],
    ["ends of attributions in a line", "wrote: ".repeat(300_000)],
    ["header lines that form no block", "From: x\n\n".repeat(200_000)],
    ["signature delimiters", "-- \n".repeat(500_000)],
    ["what phones add", "Sent from my iPhone\n".repeat(100_000)],
    ["lines of addresses", `${"<a@".repeat(160)} 10:00:\n`.repeat(4_000)],
    ["rulers", `${"-".repeat(490)}\n`.repeat(4_000)],
    ["a line of addresses", "<a@".repeat(700_000)],
    ["header lines that are none", `${"Ab: c@d.e 10:00 2026\nx\n".repeat(90_000)}`],
    ["long header lines", `${`Ab: ${"c".repeat(480)}\n`.repeat(4_000)}`],
    ["forms of signatures", "--\nAb\n\n".repeat(250_000)],
    ["separators", `----- ${"above line ".repeat(12)}-----\n`.repeat(12_000)],
    ["quotes that may be the sender's", "> a\n\n".repeat(350_000)],
    ["quotes that nearly introduce themselves", "> Ab: c@d.e 2026\n> x\n\n".repeat(80_000)],
    ["bars", "| a\n\n".repeat(350_000)],
    ["initials", "Ab> a\n\n".repeat(250_000)],
    ["marks and arrows in one line", "> < ".repeat(500_000)],
    ["arrows in lines", "x and so on\n> < >\n".repeat(100_000)],
    ["lines between marks", ">>> a@b.example 2026-01-01 10:00 >>>\n".repeat(50_000)],
    ["lines between marks above marks", "x\n>>> a@b.example 2026-01-01 10:00 >>>\n> y\n".repeat(40_000)],
    ["dates alone", "a@b.example\n2026-01-01 10:00\nAb\n".repeat(50_000)],
    ["rulers above words", "-----\nreply above this lin\n".repeat(80_000)],
    [
      "attributions without an end",
      `${"x\n\n".repeat(50_000)}${"\na@b.example 2026-01-01 10:00\n> q\n\n".repeat(40_000)}`,
    ],
    ["header lines that are marked alone", "x\n> Ab: c@d.e 2026-01-01\n> Ab: x\n> Ab: x\n".repeat(40_000)],
    ["attributions over two lines", "x 2026 <a@b.example>\n10:00 Ab:\n> q\n".repeat(50_000)],
  ];
  test.each(bodies)("%s", (_, text) => {
    for (const answers of [true, false]) {
      expect(newText({ text, html: null }, { answers })?.length ?? 0).toBeLessThanOrEqual(text.length);
    }
  });
});

describe("a thread that is known", () => {
  const QUESTION = "The gate does not close any more.\nCould somebody look at the hinges before Friday?";
  const earlier = (text: string) => [{ text, fresh: text, own: false }];

  test("a reply that repeats a message 50 times has one new part", () => {
    const text = `It is repaired.\n\n${`${QUESTION}\n\n`.repeat(50)}`;
    expect(newText({ text, html: null }, { earlier: earlier(QUESTION) })).toBe("It is repaired.");
  });

  test("an answer that repeats a line of the message is kept", () => {
    const asked = "Which day suits you best for the visit?\nTuesday at ten o'clock\nWednesday at nine o'clock";
    const text = `Tuesday at ten o'clock\n\n${asked}\n`;
    expect(newText({ text, html: null }, { earlier: earlier(asked) })).toContain("Tuesday at ten o'clock");
  });

  const lines = ["When does the ship arrive at the northern pier?", "We need the blue boxes."];
  const thanks = "Thank you very much for your help!";

  test("a sentence of the message that stands above, too, is kept", () => {
    const text = `${thanks}\n\nAt noon.\n\n${lines.join("\n")}`;
    const asked = [...lines, thanks].join("\n");
    expect(newText({ text, html: null }, { earlier: earlier(asked) })).toBe(`${thanks}\n\nAt noon.`);
    const whole = `Thanks!\n\nAt noon.\n\n${lines.join("\n")}\nThanks!`;
    const short = newText({ text: whole, html: null }, { earlier: earlier([...lines, "Thanks!"].join("\n")) });
    expect(short).toBe("Thanks!\n\nAt noon.");
  });

  test("a quote that was escaped, or whose quotes and dashes were replaced, is one", () => {
    const text = `At noon.\n\nWhen will &amp;quot;Ina&amp;quot; &amp;amp; her crew arrive - at the &#39;old&#39; pier &lt;north&gt;?`;
    const asked = "When will “Ina” & her crew arrive – at the ‘old’ pier <north>?";
    expect(newText({ text, html: null }, { earlier: earlier(asked) })).toBe("At noon.");
  });

  test("a quote that ends within the message is one, and a confirmation is not", () => {
    const [first = ""] = lines;
    const known = { earlier: earlier([...lines, ...lines.map((line) => `${line} Please.`)].join("\n")) };
    expect(newText({ text: `At noon.\n\n${first}`, html: null }, known)).toBe("At noon.");
    const confirmed = `I understand your question:\n\n${first}`;
    expect(newText({ text: confirmed, html: null }, known)).toBe(confirmed);
  });

  describe("with the sender's message that the mail answers", () => {
    const own = { text: "At noon sharp.", fresh: "At noon sharp.", own: true };
    const text = `And at the old pier.\n\nAt noon sharp.\n\n${lines.join("\n")}`;

    test("leaves that out directly above the other quote", () => {
      const known = [{ ...own, isAnswered: true }, ...earlier(lines.join("\n"))];
      expect(newText({ text, html: null }, { earlier: known })).toBe("And at the old pier.");
    });

    test("keeps it if the mail answers another", () => {
      const known = [own, ...earlier(lines.join("\n"))];
      expect(newText({ text, html: null }, { earlier: known })).toBe("And at the old pier.\n\nAt noon sharp.");
    });
  });

  test("long texts on both sides end", () => {
    const text = "The same words stand here, again and again.\n".repeat(45_000);
    expect(newText({ text, html: null }, { earlier: earlier(text) })).toBe(text.trim());
    expect(newText({ text: "a".repeat(2 * MIB), html: null }, { earlier: earlier("a".repeat(MIB)) })).toHaveLength(
      2 * MIB,
    );
  });

  test("quotes with something written between all their lines end", () => {
    const lines = Array.from({ length: 2_000 }, (_, n) => `${n} pumps and ${n * 7} seals`);
    const text = lines.map((line) => `> ${line}\n> ${line.length % 7} yes\n`).join("");
    expect(newText({ text, html: null }, { earlier: earlier(lines.join("\n")) })).toContain("yes");
  });
});

test("header lines with the colon of other scripts introduce a quote", () => {
  const header =
    "差出人：森 <mori@pond.example>\n送信日時： 2026年5月3日 10:20\n宛先：林 <hayashi@lake.example>\n件名：湖の件";
  const text = `了解です。\n\n${header}\n\n九時に駅で。\n`;
  expect(newText({ text, html: null }, { subject: "Re: 湖の件" })).toBe("了解です。");
});

describe("indented header lines below the separator of Notes, of a message that the thread has", () => {
  const said = "The lock of the upper basin opens at nine on Sunday.";
  const labels = {
    English: {
      from: "From",
      to: "To",
      date: "Date",
      subject: "Subject",
      separator: '"Ida Moe" <ida@lock.example> wrote:',
    },
    French: { from: "De", to: "A", date: "Date", subject: "Objet", separator: "Ida Moe/LOCK/NO a écrit :" },
    Italian: { from: "Da", to: "Per", date: "Data", subject: "Oggetto", separator: "ida@lock.example ha scritto:" },
    Polish: {
      from: "Od",
      to: "Do",
      date: "Data",
      subject: "Temat",
      separator: "Ida Moe <ida@lock.example> napisał(a):",
    },
    Japanese: {
      from: "差出人",
      to: "宛先",
      date: "日付",
      subject: "件名",
      separator: "Ida Moe/LOCK/NO さんが書きました:",
    },
  };
  const values = {
    from: '"Ida Moe" <ida@lock.example>',
    to: "Tor/LOCK/NO@LOCK",
    date: "03.05.2026 08:12",
    subject: "The upper basin",
  };
  const orders = [
    ["to", "from", "date", "subject"],
    ["subject", "date", "to", "from"],
    ["date", "from", "subject", "to"],
  ] as const;

  test.each(Object.entries(labels))("%s", (_, { separator, ...names }) => {
    for (const order of orders) {
      for (const indent of [" ".repeat(5), " ".repeat(9), "\t\t"]) {
        const header = order.map((role) => `${indent}${names[role]}: ${values[role]}`).join("\n");
        const text = `I row there.\n\n-----${separator} -----\n\n${header}\n\n${indent}${said}\n`;
        const earlier = [{ text: said, fresh: said, own: false, isAnswered: true }];
        expect(newText({ text, html: null }, { subject: "Re: The upper basin", earlier })).toBe("I row there.");
      }
    }
  });
});

describe("indented lines without a separator above are kept", () => {
  test.each([
    ["a booking", ["From: Bergen", "To: Oslo", "Date: 3 May 2026", "Subject: two seats"]],
    ["settings", ["From: desk@lock.example", "To: crew@lock.example", "Subject: Gate open", "Date: 3 May 2026 09:00"]],
  ])("%s", (_, form) => {
    for (const indent of [" ".repeat(5), " ".repeat(12), "\t\t\t\t\t"]) {
      for (const above of ["these are mine:", "for lee@lock.example these are mine:", "-----"]) {
        const text = `Hello,\n\n${above}\n\n${form.map((line) => indent + line).join("\n")}\n\nDo enter it like this.\n`;
        const fresh = newText({ text, html: null }, { subject: "Re: The gate" });
        expect(fresh).toContain(form[0]);
        expect(fresh).toContain("Do enter it like this.");
      }
    }
  });
});

test("a form in a mail that answers nothing is kept", () => {
  const text =
    "Hello,\n\nmy claim:\n\nName: Ada Rey\nDate: 3 May 2026\nFrom: Bergen\nTo: Oslo\nSubject: a red bag\n\nAda\n";
  expect(newText({ text, html: null }, { answers: false })).toContain("From: Bergen");
});

test("a reply that is cut anywhere can be read", () => {
  const text = `Sure.\n\nOn Thu, 26 Nov 2026 at 16:11, Ann <ann@gate.example> wrote:\n> The gate is open.\n> It rains ≥ 5 mm.\nYes.\n\n-- \nLee\n`;
  const html = `<p>Sure.</p><blockquote type="cite">26.11.2026, 16:11, Ann &lt;a@b.example&gt;:<p>The gate is open.</p></blockquote>`;
  const earlier = [{ text: "The gate is open.\nIt rains.", fresh: "The gate is open.\nIt rains.", own: false }];
  for (const answers of [true, false]) {
    for (let end = 0; end <= Buffer.byteLength(text); end += 1) {
      const cut = Buffer.from(text).subarray(0, end).toString();
      expect(newText({ text: cut, html: null }, { answers, earlier })?.length ?? 0).toBeLessThanOrEqual(cut.length);
    }
    for (let end = 0; end <= html.length; end += 1) {
      const cut = readHtml(html.slice(0, end));
      expect(newText({ text: null, html: cut }, { answers, earlier })?.length ?? 0).toBeLessThanOrEqual(end);
    }
  }
});

test("a line with an address and a time is own text below the first quote, and above it introduces one", () => {
  const line = "Seen at the lock: Kim Reef <kim@reef.example> 2026-05-03 10:15";
  const quote = "> the sea wall and the north gate";
  const below = `> Who was there?\n\nYes, two people.\n\n${line}\n\n${quote}\n\nThat one is closed.`;
  expect(newText({ text: below, html: null }, { subject: "Re: Tides", answers: true })).toContain(line);
  const above = `That one is closed.\n\n${line}\n\n${quote}`;
  expect(newText({ text: above, html: null }, { subject: "Re: Tides", answers: true })).toBe("That one is closed.");
});
