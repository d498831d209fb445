// What is new in a reply that repeats a message of its thread in other letters, and what a person wrote that looks like a quote.
import { describe, expect, test } from "vitest";
import { readHtml } from "#server/extraction/html/html.ts";
import { newText } from "#server/extraction/new-text.ts";

type Known = { message: string; own?: boolean };

function fresh(text: string, known?: Known | string): string | null {
  const { message, own = false } = typeof known === "object" ? known : { message: known ?? "" };
  const earlier = message === "" ? [] : [{ text: message, fresh: message, own, isAnswered: true }];
  return newText({ text, html: null }, { subject: "Re: x", answers: true, earlier });
}

const freshHtml = (html: string, message?: string) =>
  newText(
    { text: null, html: readHtml(html) },
    { subject: "Re: Keys", earlier: message === undefined ? [] : [{ text: message, fresh: message, own: false }] },
  );

describe("a message of the thread that the reply repeats without marks", () => {
  const LIST = "For the move we need:\n- two strong belts\n- the long ladder of Ida\n- boxes for the glasses";
  const POLISH =
    "Dzień dobry,\n\nłódka jest już pomalowana, można ją odebrać w środę rano.\nProszę wziąć ze sobą przyczepę.";

  test.each([
    ["other bullets", LIST, LIST.replaceAll("- ", "▪ ")],
    ["numbers of a list left out, stars as bullets", LIST, LIST.replaceAll("- ", "   * ")],
    ["bold words in stars", LIST, LIST.replace("long ladder", "*long ladder*")],
    ["indented lines", LIST, LIST.replace(/^/gm, "\t")],
    ["letters and marks apart", POLISH, POLISH.normalize("NFD")],
    ["no marks of letters", POLISH, POLISH.replace(/ł/g, "l").normalize("NFD").replace(/\p{M}/gu, "")],
    ["question marks for letters", POLISH, POLISH.replace(/[^\0-\x7f]/g, "?")],
    ["signs of what could not be decoded", POLISH, POLISH.replace(/[^\0-\x7f]/g, "\ufffd\ufffd")],
    [
      "UTF-8 read as Latin 1",
      "Grüße aus dem Büro,\n\ndie Schlüssel für das Tor liegen in der Küche.",
      "GrÃ¼Ã\u009fe aus dem BÃ¼ro,\n\ndie SchlÃ¼ssel fÃ¼r das Tor liegen in der KÃ¼che.",
    ],
    [
      "wide letters",
      "ＡＢＣ株式会社の請求書２０２６号をお送りします。ご確認ください。",
      "ABC株式会社の請求書2026号をお送りします。ご確認ください。",
    ],
    [
      "syllables of Korean in parts",
      "내일 오전에 창고 열쇠를 가져다 주시면 감사하겠습니다.",
      "내일 오전에 창고 열쇠를 가져다 주시면 감사하겠습니다.".normalize("NFD"),
    ],
    [
      "the address of a link behind its words",
      "Please read the rules of the house before Monday evening.",
      "Please read the rules of the house <https://house.example/rules?v=3> before Monday evening.",
    ],
    [
      "a link that a filter rewrote",
      "The drawings of the roof are at https://roof.example/plans/8?page=2 until May.",
      "The drawings of the roof are at https://filter.example/?url=https%3A%2F%2Froof.example%2Fplans%2F8%3Fpage%3D2&data=05%7C01 until May.",
    ],
    [
      "a link in another filter",
      "The drawings of the roof are at https://roof.example/plans/8 until May.",
      "The drawings of the roof are at https://defense.example/v3/__https://roof.example/plans/8__;!!Abc$ until May.",
    ],
  ])("is left out: %s", (_, message, repeated) => {
    expect(fresh(`I bring it along.\n\n${repeated}`, message)).toBe("I bring it along.");
  });

  test.each([
    [
      "another link",
      "Send the link of your work:\nThe work of Ann: https://work.example/ann/1",
      "Here:\n\nThe work of Ann: https://work.example/ann/2",
    ],
    [
      "another link behind the same words",
      "The drawings of the roof and of its beams: https://roof.example/plans/8",
      "Mine are these.\n\nThe drawings of the roof and of its beams: https://floor.example/uploads/kim/77812",
    ],
    [
      "a form that was filled in with a link",
      "Please fill in for the jury of the fair:\nAddress of your work:",
      "Address of your work: https://work.example/ann/2",
    ],
    [
      "a ticked box",
      "Which room do you take for the night?\n☐ The room above the yard\n☐ The room above the street",
      "☑ The room above the yard",
    ],
    [
      "an amount with another point",
      "Ingredients for the dough of Friday:\n1.5 kg flour from the mill",
      "Wrong, I have it so:\n\n15 kg flour from the mill",
    ],
    [
      "a vote in the words of the question",
      "Please vote with one line:\nPaint the hall in yellow\nPaint the hall in green",
      "Paint the hall in green",
    ],
    ["a short number", "How many chairs do you need for the long table in the hall?", "15"],
  ])("is kept: %s", (_, message, answer) => {
    expect(fresh(answer, message)).toBe(answer);
  });
});

describe("a line of a quote that was wrapped", () => {
  const message = "The well behind the barn gives brown water since the rain, and the pump runs hot after ten minutes.";

  test("is left out to its end, which has no mark", () => {
    const text =
      "> The well behind the barn gives brown water since the rain, and the pump\nruns hot after ten minutes.\nClose the valve first.";
    expect(fresh(text, message)).toBe("Close the valve first.");
  });

  test("is not where it is too short to be wrapped", () => {
    const asked =
      "Dear Kim, the boat of the club lies in the yard since the storm of May.\nPlease answer left or right before noon.";
    const text =
      "Hi Lou\n\n> Dear Kim, the boat of the club lies in the yard since the storm of May.\n> Please answer\nleft\n\nSee you.";
    expect(fresh(text, asked)).toBe("Hi Lou\n\nleft\n\nSee you.");
  });

  test("is not, where the sender answers with the next line of the message", () => {
    const text = "> Please answer with one of these words\nTomorrow evening";
    expect(fresh(text, "Please answer with one of these words\nTomorrow evening\nNext week")).toBe("Tomorrow evening");
  });
});

describe("marked lines that the sender wrote", () => {
  test.each([
    ["a path of menus", "Open it like this:\n\nFile\n> Export\n> As a picture\n\nand take the second size."],
    [
      "a path of menus in Japanese",
      "次の順に開いてください。\n\n設定\n> ネットワーク\n> 詳細\n\nその後、再起動します。",
    ],
    [
      "the rest of a command",
      "Run\n\n$ cat > hosts.txt <<EOF\n> alpha 10.0.0.1\n> beta 10.0.0.2\n> EOF\n\nand send me the file.",
    ],
    [
      "a block of PowerShell",
      "This renames them:\n\nPS C:\\pictures> foreach ($f in dir) {\n>> ren $f new\n>> }\n\nNo more is needed.",
    ],
    [
      "sequences by name",
      "The two sequences:\n\n>seq_1 of the mouse\nACGTTGCAACGTAAACGT\n>seq_2 of the rat\nTTGCAACGTAAACGTACG\n\nThey differ at the end.",
    ],
    ["a session of R", "It works here:\n\n> x <- c(3, 5, 10)\n> mean(x)\n[1] 6\n\nWhich version do you have?"],
    ["amounts", "Our prices:\n\n> 100 pieces: 5 EUR\n> 500 pieces: 4 EUR\n\nSay how many."],
    ["addresses", "Write to both:\n\n> ida@boats.example\n> lee@boats.example\n\nThey know."],
    ["a prompt of two signs", "In the program:\n\n>> a = [1 2 3];\n>> sum(a)\n\nThen look at the result."],
  ])("are kept: %s", (_, text) => {
    expect(fresh(text)).toBe(text);
  });

  test("are kept where the message that is answered is known, and has none of it", () => {
    const message = "We have two questions about the roof of the barn. Is the north side dry? Who paid in spring?";
    const code = "For the tool type:\n\n> roofer --north --check\n> exit\n\nThat is all.";
    expect(fresh(`> Is the north side dry?\n\nYes.\n\n${code}`, message)).toBe(`Yes.\n\n${code}`);
  });

  test("are a quote where the thread has them", () => {
    const message = "These two know more about the boats:\nida@boats.example\nlee@boats.example\nWrite to one of them.";
    expect(fresh("> ida@boats.example\n> lee@boats.example\n\nThe second one left.", message)).toBe(
      "The second one left.",
    );
  });

  test("a quote after own words of one line is none of a path", () => {
    expect(fresh("> Where do we meet?\nStation\n> Which day\n> Or evening\nFriday")).toBe("Station\n\nFriday");
  });

  test("are kept in an element for code", () => {
    const html = "<p>Type this:</p><pre>&gt; npm start\n&gt; open the page</pre><p>It takes a minute.</p>";
    const expected = "Type this:\n\n> npm start\n> open the page\n\nIt takes a minute.";
    expect(freshHtml(html)).toBe(expected);
    expect(freshHtml(html.replace("<pre>", "<p><code>").replace("\n", "<br>").replace("</pre>", "</code></p>"))).toBe(
      expected,
    );
  });

  test("are a quote in one, where the thread has them", () => {
    const html = "<p>Hello,</p><pre>&gt; Where are the keys of the cellar?\nIn the drawer.</pre>";
    const message = "I am at the door since six. Where are the keys of the cellar? Please call me.";
    expect(freshHtml(html, message)).toBe("Hello,\n\nIn the drawer.");
  });

  test("a mail that is one such element has quotes", () => {
    const html = "<pre>&gt; Where are the keys?\n\nIn the drawer.</pre><p>_____<br>list@keys.example</p>";
    expect(freshHtml(html)).not.toContain("Where are");
  });

  test("an introduced quote in such an element is one", () => {
    const html =
      "<p>In the drawer.</p><pre>On 3 May 2026 at 09:10, Ann &lt;ann@keys.example&gt; wrote:\n&gt; Where are the keys?</pre>";
    expect(freshHtml(html)).toBe("In the drawer.");
  });
});

describe("coloured answers below header lines", () => {
  const header =
    "<div><p><b>From:</b> Ann &lt;ann@keys.example&gt;<br><b>Sent:</b> Monday, 2 May 2026 9:00<br><b>To:</b> Bob &lt;bob@keys.example&gt;<br><b>Subject:</b> Keys</p></div>";
  const blue = (text: string) => `<p><span style="color:#0070C0">${text}</span></p>`;

  test("are kept", () => {
    const body = `<p>Who has the keys?</p>${blue("Carla, since Friday.")}<p>And the second pair?</p>${blue("That one is lost.")}`;
    expect(freshHtml(`<p>See below in blue.</p>${header}${body}`)).toBe(
      "See below in blue.\n\nCarla, since Friday.\n\nThat one is lost.",
    );
  });

  test("are kept on a coloured ground", () => {
    const body = `<p>Who has the keys?</p><p><span style="background:yellow">Carla, since Friday.</span></p>`;
    expect(freshHtml(`<p>Marked.</p>${header}${body}`)).toBe("Marked.\n\nCarla, since Friday.");
  });

  test("are kept behind the words of the message in the same line", () => {
    const answer = (text: string) => `<span style="color:red">${text}</span>`;
    const body = `<p>1. Who has the keys? ${answer("Carla.")}</p><p>2. And the second pair?</p>`;
    expect(freshHtml(`<p>See below.</p>${header}${body}`)).toBe("See below.\n\n1. Who has the keys? Carla.");
  });

  test.each([
    ["a warning above the message", `${blue("This mail comes from outside.")}<p>Who has the keys?</p>`],
    ["a message in one colour", `${blue("Who has the keys?")}${blue("And the second pair?")}`],
    ["the dark blue of a client", `<p>Who has the keys?</p><p style="color:#1F497D">Ann Lee, keeper</p>`],
    ["a link", `<p>Who has the keys?</p><p><a href="https://keys.example" style="color:blue">keys.example</a></p>`],
    ["lines of an older message", `<p>Who?</p>${header}<p>I ask Ann.</p>${blue("Bob Lee, porter")}`],
  ])("are not: %s", (_, body) => {
    expect(freshHtml(`<p>Carla has them.</p>${header}${body}`)).toBe("Carla has them.");
  });

  test("are kept where they are one word that the message also has", () => {
    const message =
      "Is the cellar dry now, yes or no, and can the boxes stay there?\nWho has the keys to it at present?";
    const body = `<p>Is the cellar dry now, yes or no, and can the boxes stay there?</p>${blue("No.")}<p>Who has the keys to it at present?</p>${blue("Ida")}`;
    expect(freshHtml(`<p>In blue:</p>${header}${body}`, message)).toBe("In blue:\n\nNo.\n\nIda");
  });

  test("are not what the message has in this colour", () => {
    const message =
      "Who has the keys to the cellar door?\nAnn Lee, keeper of the house\nPlease answer before the weekend, thank you.";
    const body = `<p>Who has the keys to the cellar door?</p>${blue("Ann Lee, keeper of the house")}<p>Please answer before the weekend, thank you.</p>`;
    expect(freshHtml(`<p>Carla has them.</p>${header}${body}`, message)).toBe("Carla has them.");
  });
});

describe("header lines of a quoted mail", () => {
  const header =
    "From: Ann <ann@keys.example>\nSent: Monday, 2 May 2026 9:00\nTo: Bob <bob@keys.example>\nSubject: x\n\n";
  const message = "Who has the keys to the cellar?\nWho paid the locksmith in spring?\nWhere is the second pair now?";

  test.each(["My answers below:", "Note: paid in full.", "State: open\nOwner: Ida"])(
    "begin below what the sender wrote: %s",
    (own) => {
      expect(fresh(`Hello,\n\n${own}\n\n${header}Who has the keys?`)).toBe(`Hello,\n\n${own}`);
    },
  );

  test("an answer behind a line of the message below them is kept, with this line", () => {
    const answered = message.replace("spring?", "spring? [Bob] Me, in cash.");
    expect(fresh(`See below.\n\n${header}${answered}`, message)).toBe(
      "See below.\n\nWho paid the locksmith in spring? [Bob] Me, in cash.",
    );
    expect(fresh(`See below.\n\n${answered.replace(/^/gm, "> ")}`, message)).toContain("[Bob] Me, in cash.");
    const both = answered.replace("cellar?", "cellar? [Bob] Ida.");
    expect(fresh(`See below.\n\n${header}${both}`, message)).toContain("[Bob] Ida.\nWho paid");
  });

  test("lines of the message that were wrapped in another way have no answer", () => {
    expect(fresh(`See below.\n\n${header}${message.replaceAll("\n", " ")}`, message)).toBe("See below.");
  });
});

describe("lines of two dashes that part a text", () => {
  const parts =
    "Report of the garden\n-- \n1. Trees\nThe pear tree was cut. The plum tree stays. The apple is ill.\n-- \n2. Well\nThe water is clear.";

  test("begin no signature", () => {
    expect(fresh(parts)).toBe(parts);
  });

  test("the last one does where a number follows", () => {
    expect(fresh(`${parts}\n-- \nIda Moor\n+49 30 1234567`)).toBe(parts);
  });
});

describe("what a client writes above a quote", () => {
  test.each([
    [
      "wrapped around the bracket",
      "On Fri, May 1, 2026 at 8:15 AM Prof. Dr. Maximiliane von Hohenstein-Waldburg\n<\nmaximiliane.von.hohenstein@institute.example>\nwrote:\n\n> When do we sail?",
    ],
    [
      "wrapped at the name, too",
      "On Friday, 1 May 2026 at 8:15, 'Maximiliane von Hohenstein-Waldburg' via\nThe Sailing Friends of the Institute for Applied Sciences 2026\n<\nmaximiliane.von.hohenstein@institute.example>\nwrote:\n\n> When do we sail?",
    ],
  ])("is left out: %s", (_, below) => {
    expect(fresh(`At noon, from pier two.\n\n${below}`)).toBe("At noon, from pier two.");
  });

  test("a sentence of the sender right above is kept", () => {
    const text =
      "On Monday we sail at noon.\nOn 1 May 2026 at 8:10, Ida <ida@boats.example> wrote:\n> When do we sail?";
    expect(fresh(text)).toBe("On Monday we sail at noon.");
  });

  test("names before the marks are left out where the line above has them", () => {
    const text =
      '>>>>> "Ida" == Ida Moor <ida@boats.example> writes:\n\n    Ida> When do we sail?\n    Ida> And where?\n\nAt noon.\n\n    Ida> Who steers?\n\nI do.';
    expect(fresh(text)).toBe("At noon.\n\nI do.");
  });

  test("a prompt with a name is kept", () => {
    const text = "Type:\n\n    mysql> select 1;\n    mysql> quit\n\nThat is all.";
    expect(fresh(text)).toBe(text);
  });

  test("a marker in capital letters among others is left out with what follows", () => {
    const text =
      "The blue one.\n\nAnswer ABOVE THIS LINE and your comment goes to all.\nhttps://rooms.example/t/9\n\nIda wrote a comment:\nWhich boat?";
    expect(fresh(text)).toBe("The blue one.");
  });

  test("a sentence with such words is kept", () => {
    const text = "Please sign ABOVE THE LINE on page two.\n\nThen send it back.";
    expect(fresh(text)).toBe(text);
  });
});
