// What comes in over SMTP and is handed to an agent that waits over HTTP: codes of languages that no list has, mails without a code, and links.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { mailboxThatWaits, type Waited } from "../messages/wait/waiter.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));
const mailbox = await mailboxThatWaits(service, client);

type Mail = { from?: string; text?: string; html?: string };

/** What a blocking wait hands over of a mail that comes meanwhile. */
async function extractedOf(subject: string, mail: Mail): Promise<Waited["extracted"]> {
  const { cursor } = await mailbox.wait({ timeout_seconds: 0 });
  const waiting = mailbox.wait({ after: cursor, timeout_seconds: 30 });
  await mailbox.mail(subject, { from: "no-reply@tolva.example", ...mail });
  const { message, extracted } = await waiting;
  expect(message?.subject).toBe(subject);
  return extracted;
}

// The first mail starts the threads that read mail, which takes a busy machine longer than a wait lasts.
beforeAll(async () => {
  await mailbox.mail("First", { from: "no-reply@tolva.example", text: "Good morning." });
  await eventually(async () => {
    const { message } = await mailbox.wait({ after: "2020-01-01T00:00:00Z", timeout_seconds: 0 });
    expect(message?.subject).toBe("First");
  });
});

describe("a code in a language that no list has, alone on its line beside a duration, is read in", () => {
  test.each([
    ["Breton", "Setu an niver evit kevreañ:\n\n482 917\n\nMat eo e-pad 10 munutenn.", "482917"],
    ["Chuvash", "Кӗмелли хисеп:\n\n730518\n\nВӑл 10 минут ӗҫлет.", "730518"],
    ["Chechen", "Чувала терахь:\n\n604193\n\n10 минот лелаш ду.", "604193"],
    ["Kashmiri", "تُہُنٛد اَژُن نَمبَر:\n\n۵۸۲۰۴۷\n\nیہِ چھُ ۱۰ مِنَٹَن.", "582047"],
    ["Maithili", "अहाँक प्रवेशक अंक:\n\n९०२८१७\n\nई १० मिनट धरि मान्य अछि।", "902817"],
    ["Inuktitut", "ᐃᓯᕈᑎᒃᓴᑦ ᓈᓴᐅᑎ:\n\n381960\n\n10 ᒥᓂᑦᔅ ᐊᑐᕐᓂᖃᖅᐳᖅ.", "381960"],
    ["Cherokee", "ᏣᏤᎵ ᏗᏎᏍᏗ:\n\n519 374\n\n10 ᎢᏯᏔᏬᏍᏔᏅ.", "519374"],
    ["Tamazight", "ⵓⵟⵟⵓⵏ ⵏ ⵓⴽⵛⵛⵓⵎ:\n\n264807\n\n10 ⵜⵓⵙⴷⵉⴷⵉⵏ.", "264807"],
    ["N'Ko", "ߌ ߟߊ߫ ߝߙߍߕߍ:\n\n߇߃߀߅߁߈\n\nߡߌ߬ߛߍ߲߬ ߁߀ ߠߋ߬.", "730518"],
    ["Syriac", "ܡܢܝܢܐ ܕܡܥܠܬܐ:\n\n847 203\n\n10 ܩܛܝܢ̈ܬܐ.", "847203"],
    ["Santali", "ᱟᱢᱟᱜ ᱵᱚᱞᱚ ᱮᱞ:\n\n᱕᱘᱓᱐᱒᱙\n\n᱑᱐ ᱴᱤᱯᱤᱡ.", "583029"],
    ["Mingrelian", "თქვანი მიშულაფაშ რიცხუ:\n\n690 415\n\n10 წუთიშა.", "690415"],
  ])("%s", async (_, text, otp) => {
    const extracted = await extractedOf("Tolva", { text });
    expect(extracted.otp).toBe(otp);
  });
});

describe("a code of which the mail says only what it is for is read in", () => {
  test.each([
    ["English", "Punch in 640 281 and you are signed in.", "Type 640281 on the page to sign in.", "640281"],
    ["Danish", "Log ind", "Tast 75203 for at logge ind.", "75203"],
    ["Ukrainian", "Вхід", "Щоб увійти, наберіть 830417.", "830417"],
    ["Italian, for a courier", "Il tuo pacco arriva oggi", "Comunica 5064 al corriere.", "5064"],
    ["Indonesian", "Masuk", "Cukup ketik 592 038 untuk masuk.", "592038"],
  ])("%s", async (_, subject, text, otp) => {
    const extracted = await extractedOf(subject, { text });
    expect(extracted.otp).toBe(otp);
  });
});

describe("no code is read in", () => {
  test.each([
    ["a confirmed account", "Tolva", "Your account 640281 has been confirmed. Sign in to see it."],
    ["the code of a thing with its price", "Замовлення", "Код тканини: 830417\nЦіна: 210,00 грн\nКількість: 2"],
    ["a taxi that comes in minutes", "Din taxa", "Taxaen kommer om 10 minutter. Vogn 7520."],
    ["words without digits", "Sign in", "Your sign-in code was sent to your phone."],
  ])("%s", async (_, subject, text) => {
    const extracted = await extractedOf(subject, { from: "info@tolva.example", text });
    expect(extracted.otp).toBeNull();
  });
});

describe("a link is read in", () => {
  const link = "https://tolva.example/k/7f3a91c2d4e8b605";
  test.each([
    ["Latvian, behind a button", "Apstipriniet e-pastu", { html: `<a href="${link}">Apstiprināt e-pastu</a>` }],
    ["Welsh, in a text", "Cadarnhau eich cyfrif", { text: `Cadarnhewch eich cyfrif yma:\n${link}` }],
    ["Hebrew, in angle brackets", "אימות החשבון", { text: `לאימות החשבון:\n<${link}>` }],
  ])("%s", async (_, subject, mail) => {
    const extracted = await extractedOf(subject, mail);
    expect(extracted.link).toBe(link);
  });
});
