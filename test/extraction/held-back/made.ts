// Generates mails for the check alone: other sentences, layouts, senders and numbers than those that the weights are fitted to.
import type { MadeMail } from "../fit/mails.ts";
import type { Random } from "../fit/random.ts";

/** language|subject|code|ask|until|order|notice|goodbye */
const TABLE = `
en|Finish signing in|Use {c} to sign in to {b}.|Type the number below on the page that you opened:|It stops working after {n} minutes.|Thanks! Purchase {c} is on its way and arrives on {d}.|Our shop at 14 Mill Road, {z}, moves on {d}.|See you soon, {b}
de|Anmeldung abschließen|Mit {c} melden Sie sich bei {b} an.|Bitte tippen Sie folgende Zahl auf der geöffneten Seite ein:|Sie gilt nur {n} Minuten.|Danke! Ihr Auftrag {c} ist unterwegs und trifft am {d} ein.|Unser Laden in {z} Neustadt zieht am {d} um.|Bis bald, {b}
fr|Terminez votre connexion|Utilisez {c} pour vous connecter à {b}.|Tapez le nombre ci-dessous sur la page ouverte :|Il expire au bout de {n} minutes.|Merci ! Votre achat {c} est en route, livraison le {d}.|Notre boutique de {z} Lyon déménage le {d}.|À bientôt, {b}
es|Termina de entrar|Usa {c} para entrar en {b}.|Escribe el número de abajo en la página abierta:|Deja de valer a los {n} minutos.|¡Gracias! Tu compra {c} va de camino y llega el {d}.|Nuestra tienda de {z} Madrid se muda el {d}.|Hasta pronto, {b}
pt|Conclua o acesso|Use {c} para entrar na {b}.|Digite o número abaixo na página aberta:|Ele deixa de valer após {n} minutos.|Obrigado! Sua compra {c} está a caminho e chega em {d}.|Nossa loja em {z} Lisboa muda em {d}.|Até breve, {b}
it|Completa l'accesso|Usa {c} per entrare in {b}.|Digita il numero qui sotto nella pagina aperta:|Smette di valere dopo {n} minuti.|Grazie! Il tuo acquisto {c} è in viaggio e arriva il {d}.|Il nostro negozio di {z} Roma si trasferisce il {d}.|A presto, {b}
nl|Rond het inloggen af|Gebruik {c} om in te loggen bij {b}.|Typ het getal hieronder op de geopende pagina:|Na {n} minuten werkt het niet meer.|Bedankt! Je aankoop {c} is onderweg en komt op {d}.|Onze winkel in {z} Utrecht verhuist op {d}.|Tot snel, {b}
pl|Dokończ logowanie|Użyj {c}, aby wejść do {b}.|Przepisz poniższą liczbę na otwartej stronie:|Przestanie działać po {n} minutach.|Dziękujemy! Zakup {c} jest w drodze i dotrze {d}.|Nasz sklep w {z} Kraków przenosi się {d}.|Do zobaczenia, {b}
tr|Girişi tamamlayın|{b} girişi için {c} kullanın.|Aşağıdaki sayıyı açtığınız sayfaya yazın:|{n} dakika sonra geçersiz olur.|Teşekkürler! {c} numaralı alışverişiniz yolda, {d} tarihinde gelecek.|{z} Ankara mağazamız {d} tarihinde taşınıyor.|Görüşmek üzere, {b}
ru|Завершите вход|Используйте {c} для входа в {b}.|Наберите число ниже на открытой странице:|Через {n} минут оно перестанет работать.|Спасибо! Покупка {c} уже в пути и прибудет {d}.|Наш магазин в {z} Казань переезжает {d}.|До встречи, {b}
uk|Завершіть вхід|Використайте {c} для входу в {b}.|Наберіть число нижче на відкритій сторінці:|Через {n} хвилин воно перестане діяти.|Дякуємо! Покупка {c} вже в дорозі, прибуде {d}.|Наша крамниця в {z} Львів переїздить {d}.|До зустрічі, {b}
cs|Dokončete přihlášení|K přihlášení do {b} použijte {c}.|Opište číslo níže do otevřené stránky:|Po {n} minutách přestane platit.|Děkujeme! Nákup {c} je na cestě a dorazí {d}.|Naše prodejna v {z} Brno se stěhuje {d}.|Na viděnou, {b}
hu|Fejezze be a belépést|A {b} belépéshez használja ezt: {c}.|Írja be az alábbi számot a megnyitott oldalon:|{n} perc múlva lejár.|Köszönjük! A {c} számú vásárlás úton van, {d} napján érkezik.|{z} Szeged üzletünk {d} napján költözik.|Viszontlátásra, {b}
ro|Finalizează conectarea|Folosește {c} ca să intri în {b}.|Tastează numărul de mai jos în pagina deschisă:|Nu mai merge după {n} minute.|Mulțumim! Cumpărătura {c} e pe drum și ajunge pe {d}.|Magazinul din {z} Cluj se mută pe {d}.|Pe curând, {b}
el|Ολοκληρώστε τη σύνδεση|Χρησιμοποιήστε {c} για είσοδο στο {b}.|Γράψτε τον παρακάτω αριθμό στη σελίδα που ανοίξατε:|Παύει να ισχύει μετά από {n} λεπτά.|Ευχαριστούμε! Η αγορά {c} είναι καθ' οδόν και φτάνει στις {d}.|Το κατάστημά μας στο {z} Πάτρα μετακομίζει στις {d}.|Τα λέμε, {b}
sv|Slutför inloggningen|Använd {c} för att logga in på {b}.|Skriv numret nedan på sidan du öppnade:|Det slutar fungera efter {n} minuter.|Tack! Ditt köp {c} är på väg och kommer {d}.|Vår butik i {z} Lund flyttar {d}.|Vi ses, {b}
da|Afslut dit login|Brug {c} til at logge ind på {b}.|Skriv tallet herunder på den åbne side:|Det udløber efter {n} minutter.|Tak! Dit køb {c} er på vej og ankommer {d}.|Vores butik i {z} Odense flytter {d}.|På gensyn, {b}
fi|Viimeistele kirjautuminen|Kirjaudu palveluun {b} numerolla {c}.|Kirjoita alla oleva luku avaamallesi sivulle:|Se lakkaa toimimasta {n} minuutin kuluttua.|Kiitos! Ostoksesi {c} on matkalla ja saapuu {d}.|Myymälämme {z} Turku muuttaa {d}.|Nähdään pian, {b}
zh|完成登录|使用 {c} 登录 {b}。|请在打开的页面输入下面的数字：|{n} 分钟后失效。|谢谢！您购买的商品 {c} 正在途中，{d} 送达。|我们位于 {z} 南京路的门店将于 {d} 搬迁。|再见，{b}
ja|ログインを完了してください|{b} へのログインには {c} をお使いください。|開いたページに下の数字を入力してください。|{n} 分後に無効になります。|ありがとうございます。お買い上げ {c} は配送中で、{d} に届きます。|{z} 大阪の店舗は {d} に移転します。|{b} より
ko|로그인을 완료하세요|{b} 로그인에 {c}을(를) 사용하세요.|열린 페이지에 아래 숫자를 입력하세요.|{n}분 후에 만료됩니다.|감사합니다! 구매하신 {c} 상품이 배송 중이며 {d}에 도착합니다.|{z} 부산 매장이 {d}에 이전합니다.|{b} 드림
ar|أكمل تسجيل الدخول|استخدم {c} للدخول إلى {b}.|اكتب الرقم أدناه في الصفحة المفتوحة:|يتوقف عن العمل بعد {n} دقيقة.|شكرًا! مشترياتك {c} في الطريق وتصل في {d}.|ينتقل متجرنا في {z} الرياض بتاريخ {d}.|إلى اللقاء، {b}
fa|ورود را کامل کنید|برای ورود به {b} از {c} استفاده کنید.|عدد زیر را در صفحه باز بنویسید:|پس از {n} دقیقه از کار می‌افتد.|سپاس! خرید {c} در راه است و {d} می‌رسد.|فروشگاه ما در {z} شیراز {d} جابه‌جا می‌شود.|به امید دیدار، {b}
he|השלמת הכניסה|השתמשו ב-{c} כדי להיכנס אל {b}.|הקלידו את המספר שלמטה בדף שפתחתם:|הוא יפוג אחרי {n} דקות.|תודה! הרכישה {c} בדרך ותגיע ב-{d}.|החנות שלנו ב-{z} חיפה עוברת ב-{d}.|להתראות, {b}
hi|साइन इन पूरा करें|{b} में साइन इन करने के लिए {c} का उपयोग करें।|खुले पृष्ठ पर नीचे दी गई संख्या लिखें:|यह {n} मिनट बाद काम नहीं करेगा।|धन्यवाद! आपकी खरीद {c} रास्ते में है और {d} को पहुँचेगी।|हमारी {z} जयपुर की दुकान {d} को स्थानांतरित होगी।|जल्द मिलेंगे, {b}
th|เข้าสู่ระบบให้เสร็จ|ใช้ {c} เพื่อเข้าสู่ระบบ {b}|พิมพ์ตัวเลขด้านล่างในหน้าที่เปิดไว้:|หมดอายุหลังจาก {n} นาที|ขอบคุณ! สินค้า {c} กำลังเดินทาง ถึงวันที่ {d}|ร้านของเราที่ {z} เชียงใหม่ จะย้ายวันที่ {d}|แล้วพบกัน {b}
vi|Hoàn tất đăng nhập|Dùng {c} để đăng nhập {b}.|Nhập số bên dưới vào trang đang mở:|Hết hiệu lực sau {n} phút.|Cảm ơn! Món hàng {c} đang trên đường và đến ngày {d}.|Cửa hàng ở {z} Đà Nẵng chuyển đi ngày {d}.|Hẹn gặp lại, {b}
id|Selesaikan proses masuk|Pakai {c} untuk masuk ke {b}.|Ketik angka di bawah pada halaman yang terbuka:|Tidak berlaku setelah {n} menit.|Terima kasih! Pembelian {c} sedang dikirim dan tiba {d}.|Toko kami di {z} Bandung pindah pada {d}.|Sampai jumpa, {b}
sr|Завршите пријаву|Употребите {c} за улазак у {b}.|Укуцајте број испод на отвореној страници:|Престаје да важи после {n} минута.|Хвала! Куповина {c} је на путу и стиже {d}.|Наша радња у {z} Ниш сели се {d}.|Видимо се, {b}
bg|Завършете входа|Използвайте {c} за вход в {b}.|Напишете числото по-долу в отворената страница:|Спира да важи след {n} минути.|Благодарим! Покупката {c} пътува и пристига на {d}.|Магазинът ни в {z} Варна се мести на {d}.|До скоро, {b}
`;

const SENDERS = ["Harbour", "Fjell", "Kite & Co", "Brightside", "Numo", "Zebra Pay", "Alto"];
const OTHER_LANGUAGES = ["en", "de", "fr"];
const MADE_OF_EACH = 40;

type Text = {
  language: string;
  subject: string;
  code: string;
  ask: string;
  until: string;
  order: string;
  notice: string;
  goodbye: string;
};
const TEXTS: Text[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [language = "", subject = "", code = "", ask = "", until = "", order = "", notice = "", goodbye = ""] =
      line.split("|");
    return { language, subject, code, ask, until, order, notice, goodbye };
  });

function numberFor(random: Random): { shown: string; otp: string } {
  const roll = random.below(12);
  const six = `${1 + random.below(9)}${random.digits(5)}`;
  if (roll < 5) return { shown: six, otp: six };
  if (roll === 5) return { shown: `${six.slice(0, 3)} ${six.slice(3)}`, otp: six };
  if (roll === 6) return { shown: `${six.slice(0, 3)}-${six.slice(3)}`, otp: six };
  if (roll === 7) return plain(`${3 + random.below(6)}${random.digits(3)}`);
  if (roll === 8) return plain(`${1 + random.below(9)}${random.digits(7)}`);
  if (roll === 9) return plain(`${1 + random.below(9)}${random.digits(4)}`);
  if (roll === 10)
    return plain(
      `${random.pick(["R", "T", "W"])}${random.below(8) + 2}${random.pick(["KX", "VB", "HN"])}${random.below(8) + 2}${random.pick(["F", "J"])}`,
    );
  return plain(
    `${random.pick(["XR", "QT"])}${random.below(10)}${random.below(10)}-${random.pick(["HZ", "KD"])}${random.below(10)}${random.below(10)}`,
  );
}
const plain = (shown: string) => ({ shown, otp: shown });

type Frame = (
  text: Text,
  put: (template: string, number?: string) => string,
  shown: string,
  random: Random,
) => Omit<MadeMail, "language" | "from" | "otp">;

const WITH_CODE: Frame[] = [
  (t, put, c) => ({ subject: put(t.subject), text: `${put(t.code, c)} ${put(t.until)}\n\n${put(t.goodbye)}\n` }),
  (t, put, c) => ({
    subject: put(t.subject),
    text: `${put(t.ask)}\r\n\r\n  **${c}**\r\n\r\n${put(t.until)}\r\n\r\n--\r\n${put(t.goodbye)}\r\n`,
  }),
  (t, put, c) => ({
    subject: `[{b}] ${c}`.replace("{b}", put("{b}")),
    text: `${put(t.ask)}\n+---------+\n| ${c} |\n+---------+\n${put(t.until)}\n`,
  }),
  (t, put, c, random) => ({
    subject: put(t.subject),
    text: `${put(t.ask)}\n\n${c}\n\n${put(t.until)}\n\n${put(t.notice)}\n+44 20 7946 0${random.digits(3)}\n`,
  }),
  (t, put, c) => ({
    subject: put(t.subject),
    html: `<!doctype html><html><head><style>.k{font:700 30px/40px Arial;color:#111}</style></head><body><table width="100%"><tr><td align="center"><table width="560"><tr><td><img alt="" src="https://i.example/a.png" width="80"></td></tr><tr><td>${put(t.ask)}</td></tr><tr><td class="k">${c}</td></tr><tr><td>${put(t.until)}</td></tr><tr><td style="font-size:11px;color:#777">${put(t.notice)}<br>${put(t.goodbye)}</td></tr></table></td></tr></table></body></html>`,
  }),
  (t, put, c) => ({
    subject: put(t.subject),
    html: `<div>${put(t.code, `<strong>${c}</strong>`)}</div><div>${put(t.until)}</div><div>${put(t.goodbye)}</div>`,
  }),
  (t, put, c) => ({
    subject: put(t.subject),
    html: `<p>${put(t.ask)}</p><div style="display:inline-block;border:2px dashed #999;border-radius:6px;padding:8px 18px"><code>${c}</code></div><p>${put(t.until)}</p><p><a href="https://app.example/help">${put("{b}")}</a></p>`,
  }),
  (t, put, c, random) => ({
    subject: put(t.subject),
    html: `<p>${put(t.code, c)} ${put(t.until)}</p>${Array.from({ length: 6 }, () => `<p>${put(t.notice)} <a href="https://app.example/n/${random.digits(6)}">${put("{b}")}</a></p>`).join("")}`,
  }),
  (t, put, c) => ({ subject: `${c} · ${put("{b}")}`, text: `${put(t.code, c)}\n` }),
];

const WITHOUT_CODE: Frame[] = [
  (t, put, c) => ({ subject: put(t.order, c), text: `${put(t.order, c)}\n\n${put(t.notice)}\n\n${put(t.goodbye)}\n` }),
  (t, put, c) => ({
    subject: put("{b}"),
    html: `<h2>${put(t.order, `<b>${c}</b>`)}</h2><table><tr><td>1 x A-${c.slice(0, 3)}</td><td>${put("{a}")}</td></tr><tr><td></td><td><b>${put("{a}")}</b></td></tr></table><p>${put(t.notice)}</p>`,
  }),
  (t, put) => ({ subject: put(t.notice), text: `${put(t.notice)}\n\n${put(t.goodbye)}, © 2026\n` }),
  (t, put, c, random) => ({
    subject: put(t.goodbye),
    html: `<p>${put(t.notice)}</p><ul>${Array.from({ length: 5 }, () => `<li>${random.digits(5)} – ${put("{a}")}</li>`).join("")}</ul><p>${put("{b}")} ${c}</p>`,
  }),
  (t, put, c) => ({
    subject: `Re: ${put(t.subject)}`,
    text: `${put(t.notice)}\n\n${put(t.goodbye)}\n\n> ${put(t.code, c)}\n> ${put(t.until)}\n`,
  }),
  (t, put, c, random) => ({
    subject: put(t.subject),
    html: `<p>${put(t.goodbye)}</p><a href="https://app.example/m/${random.digits(16)}" style="background:#222;color:#fff;padding:10px;display:inline-block">${put(t.subject)}</a><p>${put(t.until)}</p><p style="font-size:11px">${put(t.notice)} ${put("{b}")} Ltd, No. ${c.replace(/\D/g, "").padEnd(8, "7")}</p>`,
  }),
  (t, put, c, random) => ({
    subject: `${put("{b}")} #${c}`,
    text: `#${c}\n${put(t.order, c)}\n${put("{a}")}\n${random.digits(4)} ${random.digits(4)} ${random.digits(4)} ${random.digits(4)}\n`,
  }),
];

/** Half with a code and half without, in 30 languages; a tenth of them says everything in another language too. */
export function heldBackMails(random: Random): MadeMail[] {
  return TEXTS.flatMap((text) =>
    Array.from({ length: MADE_OF_EACH }, (_, nth): MadeMail => {
      const brand = random.pick(SENDERS);
      const put = (template: string, number = "") =>
        template
          .replace("{c}", number)
          .replace("{b}", brand)
          .replace("{n}", random.pick(["10", "15", "5", "30", "20"]))
          .replace("{d}", random.pick(["12.05.2026", "2026-05-12", "12/05/2026"]))
          .replace("{z}", random.digits(5))
          .replace("{a}", `${random.below(400)},${random.digits(2)} ${random.pick(["€", "EUR", "zł", "kr", "USD"])}`);
      const { shown, otp } = numberFor(random);
      const isCode = nth % 2 === 0;
      const made = random.pick(isCode ? WITH_CODE : WITHOUT_CODE)(text, put, shown, random);
      const second = TEXTS.find(({ language }) => language === random.pick(OTHER_LANGUAGES));
      const isMixed = second && made.text !== undefined && nth % 10 < 2;
      const more = isMixed ? `\n${isCode ? put(second.code, shown) : put(second.notice)}\n` : "";
      return {
        language: text.language,
        from: `${random.pick(isCode ? ["no-reply", "id", "hello", "signin", "post"] : ["shop", "no-reply", "hello", "post", "mina.b"])}@${brand.toLowerCase().replace(/[^a-z]/g, "")}.example`,
        ...made,
        ...(made.text === undefined ? {} : { text: `${made.text}${more}` }),
        otp: isCode ? otp : null,
      };
    }),
  );
}
