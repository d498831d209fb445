// Links that a template or a mailer broke, and links in languages whose words are not listed.
import { describe, expect, it } from "vitest";
import { extract } from "#server/extraction/extract.ts";
import { readHtml } from "#server/extraction/html/html.ts";
import { countLinks, countWholeLinks } from "./held-back/count.ts";

const FROM = "no-reply@nimbus.example";
const inText = (text: string, subject = "Confirm your email address") =>
  extract({ from: FROM, subject, text, html: null }).link;
const inHtml = (html: string, subject: string) =>
  extract({ from: FROM, subject, text: null, html: readHtml(html, subject) }).link;
const LONG = "https://account.service-with-a-long-name.example/confirm/";

const PRECISION = 0.995;
const RECALL = 0.95;
const RECALL_LEFT_OUT = 0.65;
const RECALL_WHOLE = 0.9;

describe("links of mails that nothing was tuned on", () => {
  it.each([
    ["with the words of their language", false, RECALL],
    ["without the words of their language", true, RECALL_LEFT_OUT],
  ])("are found %s", (what, isLeftOut, recall) => {
    const { mails, expected, found, right } = countLinks(isLeftOut);
    console.log(`links ${what}: ${right} right of ${found} found and ${expected} expected, ${mails} mails`);
    expect(right / found).toBeGreaterThanOrEqual(PRECISION);
    expect(right / expected).toBeGreaterThanOrEqual(recall);
  });
});

describe("links of whole mails that strangers wrote", () => {
  it("are found, and none is wrong", () => {
    const { mails, expected, found, right } = countWholeLinks();
    console.log(`links of whole mails: ${right} right of ${found} found and ${expected} expected, ${mails} mails`);
    expect(right).toBe(found);
    expect(right / expected).toBeGreaterThanOrEqual(RECALL_WHOLE);
  });
});

describe("a link of a text is read whole", () => {
  it.each([
    [
      "with escaped ampersands",
      "Confirm your email: https://a.example/verify?u=72&amp;t=9f31&amp;l=en",
      "https://a.example/verify?u=72&t=9f31&l=en",
    ],
    [
      "with numbers of characters",
      "Confirm your email: https://a.example/verify?token&#61;k7&#x26;id&#x3D;4",
      "https://a.example/verify?token=k7&id=4",
    ],
    [
      "escaped twice",
      "Confirm your email: https://a.example/verify?u=72&amp;amp;t=9f31",
      "https://a.example/verify?u=72&t=9f31",
    ],
    [
      "before an escaped quote",
      "Confirm your email: &quot;https://a.example/verify?t=9f31&quot; now",
      "https://a.example/verify?t=9f31",
    ],
    [
      "after a line break at an equals sign",
      "Confirm your email:\nhttps://a.example/verify?token=\n8f7ac1d2\n\nThanks",
      "https://a.example/verify?token=8f7ac1d2",
    ],
    [
      "after two line breaks amid a token",
      `Confirm your email:\n${LONG}7f0e1d2c3b4a5968\n778695a4b3c2d1e0f00112233445566778899aabbccddeeff00112233445566\n77881f\n\nThanks`,
      `${LONG}7f0e1d2c3b4a5968778695a4b3c2d1e0f00112233445566778899aabbccddeeff0011223344556677881f`,
    ],
    [
      "in angle brackets over two lines with white space",
      "Confirm your email:\n<https://a.example/verify/club/2026/4d7e0a11\n   9c3b/done>\n\nThanks",
      "https://a.example/verify/club/2026/4d7e0a119c3b/done",
    ],
    [
      "behind a sentence that is closed",
      "Please confirm your email. <https://a.example/v/9f31>",
      "https://a.example/v/9f31",
    ],
    [
      "in brackets, with Japanese directly behind",
      "登録を完了するには次のURLを開いてください。\n<https://a.example/ninsho?t=9f31b2>有効期限は12時間です",
      "https://a.example/ninsho?t=9f31b2",
    ],
    ["with CR LF", `Confirm your email:\r\n${LONG}7f0e1d2c\r\n3b4a5968.\r\n\r\nThanks`, `${LONG}7f0e1d2c3b4a5968`],
  ])("%s", (_, text, link) => {
    expect(inText(text)).toBe(link);
  });

  it.each([
    ["before a word on the next line", `Confirm your email:\n${LONG}7f0e1d2c\nThanks`, `${LONG}7f0e1d2c`],
    ["before a signature", `Confirm your email:\n${LONG}7f0e1d2c\n--\nNimbus`, `${LONG}7f0e1d2c`],
    ["before another address", `Confirm your email:\n${LONG}7f0e1d2c\nnimbus.example`, `${LONG}7f0e1d2c`],
    ["before an address for mail", `Confirm your email:\n${LONG}7f0e1d2c\nhelp2@nimbus.example`, `${LONG}7f0e1d2c`],
    ["on a short line", "Confirm your email:\nhttps://a.example/v/9f31\n2026\n", "https://a.example/v/9f31"],
    [
      "before Chinese without a space",
      "请点击https://a.example/verify?t=9f31完成邮箱验证。",
      "https://a.example/verify?t=9f31",
    ],
    [
      "before Thai without a space",
      "ยืนยันอีเมลที่https://a.example/verify?t=9f31ภายใน 30 นาที",
      "https://a.example/verify?t=9f31",
    ],
    ["before Khmer without a space", "ចុចhttps://a.example/verify?t=9f31ដើម្បីបញ្ជាក់", "https://a.example/verify?t=9f31"],
  ])("and ends %s", (_, text, link) => {
    expect(inText(text)).toBe(link);
  });
});

const button = (url: string, words: string) =>
  `<table><tr><td style="background:#0a5"><a href="${url}" style="color:#fff;padding:12px">${words}</a></td></tr></table>`;
const TRACKED = "https://click.nimbus.example/ls/f1a9Zq7Kd20b83LmN44xQ";

describe("a link is found by its place and shape", () => {
  it.each([
    ["Swedish", "Bekräfta din e-postadress", "Hej! Klicka nedan för att slutföra.", "Bekräfta e-postadressen"],
    ["Czech", "Dokončete registraci", "Dobrý den, zbývá poslední krok.", "Potvrdit registraci"],
    ["Hungarian", "Erősítse meg a címét", "Üdvözöljük, már csak egy lépés van hátra.", "Cím megerősítése"],
    ["Greek", "Επιβεβαίωση email", "Γεια σας, πατήστε το κουμπί για να συνεχίσετε.", "Επιβεβαίωση διεύθυνσης"],
    ["Hebrew", "אישור כתובת", "שלום, נותר רק שלב אחד.", "אישור כתובת הדואר"],
    ["Thai", "ยืนยันอีเมลของคุณ", "กดปุ่มด้านล่างเพื่อดำเนินการต่อ", "ยืนยันอีเมล"],
    ["Indonesian", "Verifikasi email Anda", "Halo, tinggal satu langkah lagi untuk akun ini.", "Verifikasi email"],
    ["Finnish", "Vahvista sähköpostiosoite", "Hei, enää yksi vaihe jäljellä.", "Vahvistus"],
  ])("in %s, behind a click tracker", (_, subject, line, words) => {
    const footer = `<p><a href="https://click.nimbus.example/ls/Uu77aa01bbcc02ddEE03">Nimbus</a></p>`;
    expect(inHtml(`<p>${line}</p>${button(TRACKED, words)}${footer}`, subject)).toBe(TRACKED);
  });

  describe("that unlock an account", () => {
    const url = "https://bank.example/a/7fk2?t=71fa0c9e";
    const read = (subject: string, text: string) =>
      extract({
        from: "security@bank.example",
        subject,
        text: `${text}\n${url}\n\nhttps://bank.example/help`,
        html: null,
      }).link;

    it.each([
      ["English", "Your account is locked", "Too many failed attempts.\n\nUnlock your profile:"],
      ["German", "Konto gesperrt", "Ihr Konto wurde gesperrt. Hier können Sie es entsperren:"],
      ["French", "Compte bloqué", "Votre compte est bloqué. Pour le débloquer, ouvrez cette page :"],
      ["Spanish", "Cuenta bloqueada", "Tu cuenta está bloqueada. Para desbloquearla, abre:"],
      ["Portuguese", "Conta bloqueada", "Desbloqueie a sua conta aqui:"],
      ["Italian", "Accesso bloccato", "Hai sbagliato la password. Sblocca l'accesso qui:"],
      ["Polish", "Konto zablokowane", "Aby odblokować konto, otwórz:"],
      ["Russian", "Аккаунт заблокирован", "Чтобы разблокировать аккаунт, откройте:"],
      ["Chinese", "账户已锁定", "请点击以下链接解除锁定："],
      ["Japanese", "アカウントのロック", "次のページからロックを解除してください。"],
      ["Korean", "계정 잠금", "아래 링크에서 잠금을 해제하세요."],
      ["Norwegian", "Kontoen din er låst", "Lås opp kontoen her:"],
      ["Czech", "Účet je uzamčen", "Účet odblokujete zde:"],
      ["Greek", "Ο λογαριασμός κλειδώθηκε", "Για να τον ξεκλειδώσετε, ανοίξτε:"],
    ])("are found in %s", (_, subject, text) => {
      expect(read(subject, text)).toBe(url);
    });

    it.each([
      ["an offer", "Unlock 20% off", "Unlock your offer now:"],
      ["an offer in Spanish", "Desbloquea tu premio", "Desbloquea 3 meses gratis:"],
      ["a level of a game", "Nouveaux niveaux", "Débloquez le niveau 12 du jeu :"],
      ["functions in German", "Neue Funktionen", "Entsperren Sie neue Funktionen mit dem Pro-Tarif:"],
    ])("are none for %s", (_, subject, text) => {
      expect(read(subject, text)).toBeNull();
    });
  });

  it.each([
    [
      "Estonian",
      "Kinnita konto",
      "Konto kinnitamiseks ava https://pank.example/kinnita/a81.",
      "https://pank.example/kinnita/a81",
    ],
    [
      "Bengali",
      "অ্যাকাউন্ট নিশ্চিত করুন",
      "অ্যাকাউন্ট নিশ্চিত করতে লিংকটি খুলুন:\nhttps://bank-bd.example/n/71b",
      "https://bank-bd.example/n/71b",
    ],
    [
      "Welsh",
      "Cadarnhau eich cyfrif",
      "Ewch yma i gadarnhau eich cyfrif:\nhttps://banc.example/cadarnhau/b7-2",
      "https://banc.example/cadarnhau/b7-2",
    ],
    [
      "Romanian",
      "Resetare parolă",
      "Accesați adresa pentru o parolă nouă:\n\nhttps://banca.example/parola-noua/4f1\n\nExpiră în 30 de minute.",
      "https://banca.example/parola-noua/4f1",
    ],
    [
      "Alemannic",
      "Willkomme bi de Zunft",
      "Hoi zäme, da chönd er öii Aamäldig fertig mache:\nhttps://zunft.example/p/7c20",
      "https://zunft.example/p/7c20",
    ],
    [
      "Low German",
      "Passwoort vergeten",
      "Hier kannst du en nieg Passwoort utsöken:\nhttps://kroog.example/p/55f1",
      "https://kroog.example/p/55f1",
    ],
    [
      "West Frisian",
      "Dyn nije akkount",
      "Wolst dyn nije adres goedkarre? Dat kin hjir:\nhttps://skûtsje.example/b/90ad",
      "https://skûtsje.example/b/90ad",
    ],
    [
      "Upper Sorbian",
      "Waše přizjewjenje",
      "Tu móžeće so přizjewić:\nhttps://cyrk.example/p/31bb",
      "https://cyrk.example/p/31bb",
    ],
    [
      "Friulian",
      "La tô gnove direzion",
      "Par plasê, conferme la direzion:\nhttps://ostarie.example/c/08fe",
      "https://ostarie.example/c/08fe",
    ],
    [
      "Romansh",
      "Voss nov pled-clav",
      "Qua pudais Vus tscherner in nov pled-clav:\nhttps://chasa.example/p/6dd4",
      "https://chasa.example/p/6dd4",
    ],
    [
      "Northern Sami",
      "Du konto",
      "Duođaš iežat čujuhusa:\nhttps://siida.example/d/2f8e",
      "https://siida.example/d/2f8e",
    ],
    ["Kyrgyz", "Жаңы дарек", "Дарегиңизди ырастаңыз:\nhttps://ayil.example/y/7e31", "https://ayil.example/y/7e31"],
    [
      "Vietnamese, for an account",
      "Tài khoản Sao Biển",
      "Xác nhận tài khoản tại đây:\nhttps://saobien.example/x/4b7c",
      "https://saobien.example/x/4b7c",
    ],
    [
      "Kannada, with a joiner",
      "ಹೊಸ ಪಾಸ್‌ವರ್ಡ್",
      "ಇಲ್ಲಿ ಹೊಸ ಪಾಸ್‌ವರ್ಡ್ ಆಯ್ಕೆಮಾಡಿ:\nhttps://ooru.example/p/3c19",
      "https://ooru.example/p/3c19",
    ],
    [
      "Danish, in its address alone",
      "Velkommen til havnen",
      "Kun ét skridt mangler, og det tager 2 minutter. Linket virker i 24 timer:\nhttps://havn.example/bekr%C3%A6ft/a90-1c",
      "https://havn.example/bekr%C3%A6ft/a90-1c",
    ],
    [
      "German, in its address alone",
      "Schön, dass Sie da sind",
      "Nur noch ein Klick:\nhttps://kahn.example/best%C3%A4tigen/x81c",
      "https://kahn.example/best%C3%A4tigen/x81c",
    ],
  ])("in %s, in a text", (_, subject, text, link) => {
    expect(inText(text, subject)).toBe(link);
  });

  it("in a language without any words: a button that says what the subject says, with a duration", () => {
    const html = `<p>Zorel tikan mada valo 30 minte.</p>${button(TRACKED, "Tikan mada zorelo")}`;
    expect(inHtml(html, "Tikan zorelo")).toBe(TRACKED);
  });

  it("in a language without any words: a button beside a duration and another number", () => {
    const line = "<p>Zorel 7 tikan mada valo 30 minte.</p>";
    expect(inHtml(`${line}${button(TRACKED, "Pelu")}`, "Garsu")).toBe(TRACKED);
    expect(inHtml(`${line}<p><a href="${TRACKED}">Pelu</a></p>`, "Garsu")).toBeNull();
  });
});

describe("a link does something else", () => {
  it.each([
    ["an unsubscribe button in Swedish", "Nyheter", "Hej! Här är veckans nyheter från oss.", "Avregistrera"],
    ["privacy in Czech", "Novinky", "Dobrý den, to jsou novinky.", "Ochrana soukromí"],
    [
      "a confirmed end of a subscription in Czech",
      "Potvrzení odhlášení",
      "Dobrý den, mrzí nás to.",
      "Potvrdit odhlášení z odběru",
    ],
    ["help in Greek", "Νέα", "Γεια σας, αυτά είναι τα νέα μας.", "Βοήθεια"],
    ["an order in Hungarian", "Rendelés", "Üdvözöljük, a rendelés úton van.", "Rendelés megtekintése"],
    ["an offer in Danish", "Tilbud", "Hej! Det er en god uge: spar 20 % på alt.", "Se tilbud"],
    [
      "a report in English that the subject names",
      "Our June report",
      "The report is out. It takes 10 minutes to read and you will like it.",
      "Our June report",
    ],
  ])("%s", (_, subject, line, words) => {
    expect(inHtml(`<p>${line}</p>${button(TRACKED, words)}`, subject)).toBeNull();
  });

  it.each([
    ["Indonesian", "Terima kasih sudah membaca majalah kami!"],
    ["Malay", "Terima kasih kerana membaca majalah kami!"],
  ])("a magazine below thanks in %s", (_, text) => {
    expect(inText(`${text}\nhttps://majalah.example/jun/k7310`, "Jun")).toBeNull();
  });
});

describe("an address says what its link does", () => {
  it.each([
    [
      "no more by an address that it carries in its query",
      "out?to=https%3A%2F%2Fgull.example%2Factivate%2F&n=7c20be41",
    ],
    ["no more by a path that it carries in its query", "out?back=%2Fverify&n=7c20be41"],
    ["no more by a path that it carries in its path", "out/%2Fverify%2F/7c20be41"],
    ["also with octets of ASCII letters", "%61bmelden/bestaetigen?token=7c20be41"],
    ["also with octets of letters with marks", "pr%C3%A9f%C3%A9rences/activation?token=7c20be41"],
    ["also with octets of both", "%64%C3%A9sinscription/valider?token=7c20be41"],
  ])("%s", (_, path) => {
    expect(inText(`The gulls are back.\n\nhttps://gull.example/${path}`, "June")).toBeNull();
  });

  const label = '<a href="https://fjell.example/k/77a0c9">Bekreft e-posten din</a>';
  it.each([
    ["beside it", "Bekreft", `Hei <a href="https://elg.example/bekreft/3f81c2">Solveig</a>, ${label}`],
    ["below it", "Bekreft", `${label}<br><a href="https://elg.example/bekreft/3f81c2">Solveig</a>`],
    ["in its own letters", "Bekreft", `<a href="https://elg.example/bekr%C3%A6ft/3f81c2">Solveig</a> ${label}`],
  ])("not if a label says it: %s", (_, subject, html) => {
    expect(inHtml(`<p>${html}</p>`, subject)).toBe("https://fjell.example/k/77a0c9");
  });

  it("and a name in the sentence of a label is no label", () => {
    const html = `<p>Hei <a href="https://elg.example/bekreft/3f81c2">Solveig</a>, ${label}</p>`;
    expect(inHtml(html, "Velkommen til fjellet")).not.toBe("https://elg.example/bekreft/3f81c2");
  });
});

describe("a link whose only personal part is a number that the mail names", () => {
  const url = "https://fjell.example/bekreft/3306";
  it.each([
    ["alone", `Medlemsnummer 3306\n\nBekreft adressen:\n${url}`],
    ["beside news", `Medlemsnummer 3306\n\nBekreft adressen:\n${url}\n\nNytt: https://fjell.example/n/k81`],
    ["beside a way out", `Medlemsnummer 3306\n\nBekreft adressen:\n${url}\n\nAvmeld: https://fjell.example/n/k81`],
  ])("is found if it acts: %s", (_, text) => {
    expect(inText(text, "Bekreft")).toBe(url);
  });

  it("is not if another acts", () => {
    const other = "https://fjell.example/bekreft/9f31b2";
    const text = `Medlem 3306: https://fjell.example/bekreft/3306\n\nBekreft adressen:\n${other}`;
    expect(inText(text, "Bekreft")).toBe(other);
  });
});

describe("the page of a numbered thing that a machine reports is no link to act on", () => {
  it.each([
    ["Deployment 208 failed on staging", "Deployment 208 failed (2 min 40 s)\n\nLog: https://forge.example/d/208"],
    ["Nightly run 6113", "Status: green, 31 min\nTime log: https://forge.example/loft/6113"],
    ["Byg 913 fejlede", "Byg 913 af grenen fejlede efter 20 minutter.\n\nLog: https://smedje.example/byg/913"],
    ["Bygge 77 er ferdig", "Logg: https://smie.example/bygge/77"],
    ["[loft] 5b0d2e9 deployed", "Deployed 5b0d2e9 in 48 s\nLog: https://forge.example/loft/5b0d2e9"],
  ])("%s", (subject, text) => {
    expect(inText(text, subject)).toBeNull();
  });

  it("but one with the code of the mail is", () => {
    const text = "Din kod är 640285.\n\nEller bekräfta adressen här: https://brygga.example/b?n=640285";
    expect(inText(text, "Bekräfta adressen")).toBe("https://brygga.example/b?n=640285");
  });
});

describe("a mail that answers another", () => {
  const url = (token: string) => `https://harbour.example/verify?token=${token}`;
  const read = (text: string | null, html: string | null, answer: string) =>
    extract({
      from: "kim@boats.example",
      subject: "Re: Verify your email address",
      text,
      html: html === null ? null : readHtml(html),
      answer,
    }).link;
  const quote = `From: Harbour\nSubject: Verify your email address\n\nVerify your email address: ${url("Hq82kd01x")}`;
  const quoted = `<p>From: Harbour</p><p><a href="${url("Hq82kd01x")}">Verify my email address</a></p>`;

  it("gives no link of what it quotes", () => {
    for (const answer of ["That was not me.", ""]) {
      expect(read(`${answer}\n${quote}`, null, answer)).toBeNull();
      expect(read(quote, `<p>${answer}</p>${quoted}`, answer)).toBeNull();
    }
    const answer = "I did not press Verify my email address today.";
    expect(read(null, `<p>${answer}</p>${quoted}`, answer)).toBeNull();
  });

  it("gives the link of its new part", () => {
    const own = url("Zt91mm47c");
    const answer = `Please verify your email address here: ${own}`;
    expect(read(`${answer}\n${quote}`, null, answer)).toBe(own);
    const words = "Confirm your email address";
    expect(
      read(null, `<p>Here you are:</p><p><a href="${own}">${words}</a></p>${quoted}`, `Here you are:\n\n${words}`),
    ).toBe(own);
    expect(read(null, `<p><a href="${own}">${words}</a></p>`, words)).toBe(own);
  });
});

describe("a link that goes on with what was begun", () => {
  const url = "https://harbour.example/open/go?id=5f20c8";

  it.each([
    ["Resume your application", "You stopped halfway"],
    ["Finish registration", "Almost there"],
    ["Antrag fortsetzen", "Ihr Antrag wartet"],
    ["Reprendre ma demande", "Votre dossier"],
    ["Continuar con mi solicitud", "Le falta un paso"],
    ["Продолжить регистрацию", "Остался один шаг"],
  ])("is found: %s", (words, subject) => {
    expect(inHtml(`<p><a href="${url}">${words}</a></p>`, subject)).toBe(url);
  });

  it.each([
    ["Pick up where you left off", "Your membership application is not complete"],
    ["Reprenez là où vous étiez", "Votre candidature vous attend"],
    ["Hier weitermachen, wo Sie aufgehört haben", "Ihr Antrag ist noch offen"],
    ["Continúe donde lo dejó", "Su solicitud está a medias"],
    ["Riprendi da dove eri", "La tua domanda è incompleta"],
    ["Ga verder waar je was", "Je aanvraag staat klaar"],
    ["中断したところから再開", "お申込の手続き"],
  ])("is found where the mail says what was begun: %s", (words, subject) => {
    expect(inText(`${words}:\n${url}`, subject)).toBe(url);
  });

  it.each([
    ["Pick up where you left off", "Episode 4 is waiting"],
    ["Continue where you left off", "Your cart and your order form"],
    ["Reprenez là où vous étiez", "Votre série vous attend"],
  ])("is not, of something else: %s, %s", (words, subject) => {
    expect(inText(`${words}:\n${url}`, subject)).toBeNull();
  });

  it("is found where the text says that a registration was begun", () => {
    expect(inText(`Your club registration is saved.\n\nContinue where you left off:\n${url}`, "Hello")).toBe(url);
  });

  it.each([
    "Pick up where you left off, in the best form of the year",
    "Carry on where you left off with our application for readers",
    "Hier weitermachen, wo Sie aufgehört haben: das Dossier zum Wald",
    "Continúe donde lo dejó: el registro de las ballenas",
    "Riprendi da dove eri: la domanda della settimana",
    "Poursuivez-la où vous étiez : une demande en mariage",
  ])("is not where only the text has a word of many meanings: %s", (words) => {
    expect(inText(`${words}: ${url}`, "This week")).toBeNull();
    expect(inText(`${words}:\n${url}`, "This week")).toBeNull();
  });

  it.each(["Continue shopping", "Continue reading", "Weiter einkaufen"])("is not: %s", (words) => {
    expect(inHtml(`<p><a href="${url}">${words}</a></p>`, "New this week")).toBeNull();
  });
});

describe("a link beside offers, in a language that the words of links do not have", () => {
  const offers = ["Kumari", "Dhaka Lamp", "Malai"]
    .map((each, nth) => `<a href="https://bazaar.example/item/88${nth}2">${each}</a>`)
    .join(", ");
  const read = (words: string, subject: string) =>
    inHtml(`<p><a href="https://bazaar.example/q?u=60214&h=cc41e9">${words}</a></p><p>${offers}</p>`, subject);

  it("is found if it alone acts, and the subject asks for it", () => {
    const url = "https://bazaar.example/q?u=60214&h=cc41e9";
    expect(read("இமெயில் முகவரியை உறுதிப்படுத்தவும்", "உங்கள் இமெயில் முகவரியை உறுதிப்படுத்தவும்")).toBe(url);
    expect(read("इमेल प्रमाणित गर्नुहोस्", "आफ्नो इमेल प्रमाणित गर्नुहोस्")).toBe(url);
  });

  it("is none if nothing acts", () => {
    expect(read("புதிய சேலைகள்", "இந்த வாரம்")).toBeNull();
  });
});
