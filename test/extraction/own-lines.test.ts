// Lines behind a sign that an earlier message of the thread has: a choice, a reminder or a list of the person who writes, beside what is
// quoted.
import { describe, expect, test } from "vitest";
import { newText } from "#server/extraction/new-text.ts";

type From = "another" | "the sender";
const answer = (text: string, message: string, from: From = "another") =>
  newText(
    { text, html: null },
    { earlier: [{ text: message, fresh: message, own: from === "the sender", isAnswered: true }] },
  );

const OFFER =
  "Please choose two of these:\nThe red kayak with two seats, for the whole weekend.\nThe blue kayak with one seat, for Saturday only.\nThe canoe for a family, with three paddles.\nThe raft, for nobody who fears cold water.";
const [, RED = "", BLUE = "", CANOE = ""] = OFFER.split("\n");
const APART = OFFER.replaceAll("\n", "\n\n");
const MENU =
  "Was möchtet ihr am Samstag essen?\nDie Suppe mit Linsen und Brot für alle.\nDen Fisch aus dem Ofen mit Kartoffeln.\nDie Nudeln mit Pilzen aus dem Wald.";
const [, SOUP = "", FISH = "", PASTA = ""] = MENU.split("\n");
const VISIT =
  "Bonjour,\n\nQuel jour vous convient pour la visite ?\nLe mardi matin avec le guide du musée.\nLe jeudi après-midi avec la directrice.\nLe samedi toute la journée, sans guide.\n\nBien à vous,\nLuce";
const [TUESDAY = "", THURSDAY = ""] = VISIT.split("\n").slice(3);
const TASKS =
  "Faltan estas cosas:\nPintar la puerta azul del almacén grande.\nArreglar la bomba de agua del jardín.\nComprar tres sacos de tierra nueva.";
const [, DOOR = "", PUMP = "", EARTH = ""] = TASKS.split("\n");
const JAPANESE =
  "次の中から二つお選びください。\n月曜日の午前十時に駅前の喫茶店で会う。\n水曜日の午後三時に本社の会議室で会う。\n金曜日の午後五時にオンラインで話し合う。";
const [, MONDAY_JA = "", WEDNESDAY_JA = ""] = JAPANESE.split("\n");
const RUSSIAN =
  "Какие работы нужны?\nПокрасить забор вокруг старого сада.\nПочинить крышу над летней кухней.\nСпилить сухую яблоню у ворот дома.";
const [, FENCE = "", ROOF = ""] = RUSSIAN.split("\n");
const ARABIC =
  "ما الذي تريدون شراءه؟\nثلاثة كراسي خشبية لغرفة الاجتماعات الكبيرة.\nطاولة مستديرة للمطبخ الجديد في الطابق الثاني.\nستارة زرقاء للنافذة المطلة على الحديقة.";
const [, CHAIRS = "", TABLE = ""] = ARABIC.split("\n");
const PAY = "Please pay the bill for the harbour by Monday at ten.\nThe number of the account is at the foot of it.";
const LETTER = [
  "Ciao a tutti,",
  "Il mercato di sabato comincia alle sette in piazza.\nServono due tavoli lunghi e una tenda per la pioggia.\nChi porta le casse con le mele dal magazzino?",
  "Il traghetto per l'isola parte alle nove e un quarto.\nI biglietti sono nella busta gialla in ufficio.",
  "Per la festa di giugno manca ancora la musica.\nLa banda del paese chiede trecento euro per la sera.",
].join("\n\n");
const behind = (sign: string, ...lines: string[]) => lines.map((line) => `${sign} ${line}`).join("\n");
const MARKET = behind("}", ...(LETTER.split("\n\n")[1] ?? "").split("\n"));
const FERRY = (LETTER.split("\n\n")[2] ?? "").split("\n");

describe("own words are kept", () => {
  test.each<[string, string, string, From?]>([
    ["a choice below words without an end", `we take these two\n\n${behind("-", BLUE, CANOE)}\n\nAda`, OFFER],
    ["a choice below a sentence", `We take these two.\n\n${behind("*", RED, BLUE)}\n\nThank you!`, OFFER],
    [
      "a choice of paragraphs below a sentence",
      `Only these three are for us.\n\n${behind("•", RED, BLUE, CANOE)}`,
      APART,
    ],
    ["all but one", `The children want these.\n${behind("~", RED, BLUE, CANOE)}\n\nIs that possible?`, OFFER],
    ["a choice above words", `${behind("-", SOUP, FISH)}\n\nDas nehmen wir, danke.`, MENU],
    ["a choice behind a rare sign", `wir hätten gern\n${behind("=", FISH, PASTA)}\n\nLiebe Grüße`, MENU],
    ["an order of its own", `${behind(":", PASTA, SOUP, FISH)}\n\nIn dieser Reihenfolge, bitte.`, MENU],
    ["a choice in French", `notre choix est\n~ ${TUESDAY}\n~ ${THURSDAY}\n\nMerci, Paul`, VISIT],
    ["work that is done, in Spanish", `Ya está hecho:\n${behind("+", DOOR, PUMP, EARTH)}\n\nSaludos`, TASKS],
    ["one point with an answer below it", `} ${EARTH}\n\nEsto lo compro yo.`, TASKS],
    [
      "a choice in Japanese",
      `この二つでお願いします\n${behind("・".replace("・", "·"), MONDAY_JA, WEDNESDAY_JA)}\n\n田中`,
      JAPANESE,
    ],
    ["a choice in Russian", `нам нужно вот это\n${behind("—", FENCE, ROOF)}\n\nСпасибо`, RUSSIAN],
    ["a choice in Arabic", `نريد هذين فقط\n${behind("*", CHAIRS, TABLE)}\n\nشكرا`, ARABIC],
    ["an own sentence again, with emphasis", `${behind("!", PAY.split("\n")[0] ?? "")}\n\nBo`, PAY, "the sender"],
    [
      "all of an own message again",
      `${behind("|", ...PAY.split("\n"))}\n\nI had no answer to this.`,
      PAY,
      "the sender",
    ],
    ["a reminder of what another wrote", `! ${PAY.split("\n")[0]}\n\nDid you?`, PAY],
    ["a sign that stands before own lines, too", `${MARKET}\n} E domenica?\n\nGrazie.`, LETTER],
    ["a paragraph of another that new words announce", `Questo non mi è chiaro.\n\n${MARKET}\n\nGrazie.`, LETTER],
    ["a paragraph of an own message", `${MARKET}\n\nAspetto ancora.`, LETTER, "the sender"],
    ["a part of a paragraph", `${MARKET.split("\n").slice(0, 2).join("\n")}\n\nSolo questo.`, LETTER],
    ["the end of a paragraph", `${MARKET.split("\n").slice(1).join("\n")}\n\nA queste penso io.`, LETTER],
    ["a paragraph, as points", `${MARKET.replaceAll("} ", "* ")}\n\nLo faccio io.`, LETTER],
    [
      "paragraphs in another order",
      `${behind(":", ...FERRY)}\n\nPrima questo.\n\n${MARKET.replaceAll("} ", ": ")}\n\nPoi questo.`,
      LETTER,
    ],
    ["points that the message has with the sign", `${behind("|", RED, BLUE)}\n\nThese.`, behind("|", RED, BLUE, CANOE)],
  ])("%s", (_, text, message, from) => {
    expect(answer(text, message, from)).toBe(text);
  });
});

describe("quotes behind a sign are left out", () => {
  test.each(["}", ":", "|", "┃", "»"])("a paragraph of a long message behind %s", (sign) => {
    const market = MARKET.replaceAll("}", sign);
    expect(answer(`${market}\n\nLe porto io.`, LETTER)).toBe("Le porto io.");
    const [first = "", ...rest] = market.split("\n");
    expect(answer(`${first}\n\nVa bene\n\n${rest.join("\n")}\n\nLe porto io.`, LETTER)).toBe("Va bene\n\nLe porto io.");
    const wrapped = market.replace(/ (?=tavoli|alle)/g, `\n${sign} `);
    const both = `${wrapped}\n${sign}\n${behind(sign, ...FERRY)}`;
    expect(answer(`${both}\n\nHo i biglietti.`, LETTER)).toBe("Ho i biglietti.");
    const attribution = "Il 4 maggio 2026 alle 10:15 Rosa <rosa@piazza.example> ha scritto:";
    expect(answer(`Sì.\n\n${attribution}\n${market}`, LETTER)).toBe("Sì.");
  });

  test.each<[string, string, string, string]>([
    [
      "all of it above the answer",
      `${behind("}", ...OFFER.split("\n"))}\n\nThe red one and the raft.`,
      OFFER,
      "The red one and the raft.",
    ],
    [
      "all of it below a sentence",
      `Den Fisch, bitte.\n\n${behind("|", ...MENU.split("\n"))}`,
      MENU,
      "Den Fisch, bitte.",
    ],
    ["all of it, as points", `${behind("*", ...TASKS.split("\n"))}\n\nLo hago mañana.`, TASKS, "Lo hago mañana."],
    [
      "with answers between its lines",
      `: ${RUSSIAN.split("\n")[0]}\n${behind(":", FENCE)}\n\nДа.\n\n${behind(":", ...RUSSIAN.split("\n").slice(2))}\n\nНет.`,
      RUSSIAN,
      "Да.\n\nНет.",
    ],
    ["a paragraph", `${behind("»", ...VISIT.split("\n").slice(2, 6))}\n\nLe mardi.`, VISIT, "Le mardi."],
    [
      "two paragraphs with a line of the sign between them",
      `${behind("│", RED)}\n│\n${behind("│", BLUE)}\n\nNot the blue one.`,
      APART,
      "Not the blue one.",
    ],
    [
      "lines that a program wrapped",
      `${behind("}", ...OFFER.split("\n").flatMap((line) => line.split(/, (?=for|with)/).map((part, at, all) => (at < all.length - 1 ? `${part},` : part))))}\n\nThe raft.`,
      OFFER,
      "The raft.",
    ],
    [
      "in Japanese",
      `${behind("¦", ...JAPANESE.split("\n"))}\n\n月曜日と水曜日でお願いします。`,
      JAPANESE,
      "月曜日と水曜日でお願いします。",
    ],
    [
      "in Arabic, below a sentence",
      `نريد الكراسي فقط.\n\n${behind(":", ...ARABIC.split("\n"))}`,
      ARABIC,
      "نريد الكراسي فقط.",
    ],
    [
      "below an attribution",
      `Yes.\n\nOn 3 May 2026 at 10:00 Ada <ada@boats.example> wrote:\n${behind("}", ...OFFER.split("\n"))}`,
      OFFER,
      "Yes.",
    ],
  ])("%s", (_, text, message, fresh) => {
    expect(answer(text, message)).toBe(fresh);
  });
});
