// Generates mails with and without a link that verifies, for the check alone.
import type { Random } from "../fit/random.ts";

/** language|subject|sentence|button|until|purchase|see it|news|end of the letter */
const TABLE = `
en|One more step for your account|To make sure this address is yours, please confirm it.|Confirm address|The link works for 24 hours.|Your purchase has left our warehouse.|See the purchase|What is new this month in our shop.|Stop these letters
de|Noch ein Schritt für Ihr Konto|Damit wir wissen, dass diese Adresse Ihnen gehört, bestätigen Sie sie bitte.|Adresse bestätigen|Der Link gilt 24 Stunden.|Ihr Einkauf hat unser Lager verlassen.|Einkauf ansehen|Das ist neu in diesem Monat.|Newsletter abbestellen
fr|Encore une étape pour votre compte|Pour nous assurer que cette adresse est la vôtre, veuillez la confirmer.|Confirmer l'adresse|Le lien est valable 24 heures.|Votre achat a quitté notre entrepôt.|Voir mon achat|Les nouveautés de ce mois.|Se désabonner
es|Un paso más para tu cuenta|Para saber que esta dirección es tuya, confírmala.|Confirmar la dirección|El enlace vale 24 horas.|Tu compra ha salido de nuestro almacén.|Ver la compra|Novedades de este mes.|Darse de baja
it|Ancora un passo per il tuo account|Per sapere che questo indirizzo è tuo, confermalo.|Conferma l'indirizzo|Il link vale 24 ore.|Il tuo acquisto ha lasciato il magazzino.|Vedi l'acquisto|Le novità di questo mese.|Disiscriviti
pl|Jeszcze jeden krok|Aby upewnić się, że ten adres należy do Ciebie, potwierdź go.|Potwierdź adres|Link działa 24 godziny.|Twój zakup opuścił nasz magazyn.|Zobacz zakup|Nowości tego miesiąca.|Wypisz się
tr|Hesabınız için bir adım daha|Bu adresin size ait olduğunu bilmemiz için lütfen doğrulayın.|Adresi doğrula|Bağlantı 24 saat geçerlidir.|Alışverişiniz depomuzdan çıktı.|Alışverişi gör|Bu ayın yenilikleri.|Abonelikten çık
ru|Остался один шаг|Чтобы мы знали, что это ваш адрес, подтвердите его.|Подтвердить адрес|Ссылка действует 24 часа.|Ваша покупка покинула склад.|Посмотреть покупку|Новости этого месяца.|Отписаться
zh|还差一步|为确保该邮箱属于您，请完成验证。|验证邮箱|链接 24 小时内有效。|您购买的商品已出库。|查看商品|本月新品。|退订
ja|あと一歩で完了です|このアドレスがお客様のものか確認するため、認証をお願いします。|アドレスを認証する|リンクは 24 時間有効です。|お買い上げの商品を発送しました。|商品を見る|今月の新着です。|配信停止
sv|Ett steg kvar för ditt konto|Bekräfta adressen så att vi vet att den är din.|Bekräfta adressen|Länken gäller i 24 timmar.|Ditt köp har lämnat vårt lager.|Visa köpet|Månadens nyheter.|Avregistrera
da|Et skridt mere|Bekræft adressen, så vi ved at den er din.|Bekræft adressen|Linket virker i 24 timer.|Dit køb har forladt lageret.|Vis købet|Månedens nyheder.|Afmeld
nb|Ett steg igjen|Bekreft adressen slik at vi vet at den er din.|Bekreft adressen|Lenken virker i 24 timer.|Kjøpet ditt har forlatt lageret.|Vis kjøpet|Månedens nyheter.|Meld deg av
fi|Vielä yksi askel|Vahvista osoite, jotta tiedämme sen olevan sinun.|Vahvista osoite|Linkki toimii 24 tuntia.|Ostoksesi on lähtenyt varastosta.|Katso ostos|Kuukauden uutuudet.|Peruuta uutiskirje
et|Veel üks samm|Kinnitage aadress, et teaksime selle teile kuuluvat.|Kinnita aadress|Link kehtib 24 tundi.|Teie ost on laost lahkunud.|Vaata ostu|Kuu uudised.|Loobu uudiskirjast
lv|Vēl viens solis|Apstipriniet adresi, lai zinātu, ka tā ir jūsu.|Apstiprināt adresi|Saite derīga 24 stundas.|Jūsu pirkums ir atstājis noliktavu.|Skatīt pirkumu|Mēneša jaunumi.|Atteikties
lt|Liko vienas žingsnis|Patvirtinkite adresą, kad žinotume, jog jis jūsų.|Patvirtinti adresą|Nuoroda galioja 24 valandas.|Jūsų pirkinys paliko sandėlį.|Žiūrėti pirkinį|Mėnesio naujienos.|Atsisakyti
cs|Ještě jeden krok|Potvrďte adresu, ať víme, že je vaše.|Potvrdit adresu|Odkaz platí 24 hodin.|Váš nákup opustil sklad.|Zobrazit nákup|Novinky měsíce.|Odhlásit odběr
sk|Ešte jeden krok|Potvrďte adresu, aby sme vedeli, že je vaša.|Potvrdiť adresu|Odkaz platí 24 hodín.|Váš nákup opustil sklad.|Zobraziť nákup|Novinky mesiaca.|Odhlásiť odber
sl|Še en korak|Potrdite naslov, da bomo vedeli, da je vaš.|Potrdi naslov|Povezava velja 24 ur.|Vaš nakup je zapustil skladišče.|Poglej nakup|Novosti meseca.|Odjava
hr|Još jedan korak|Potvrdite adresu da znamo da je vaša.|Potvrdi adresu|Poveznica vrijedi 24 sata.|Vaša kupnja napustila je skladište.|Pogledaj kupnju|Novosti mjeseca.|Odjava
hu|Már csak egy lépés|Erősítse meg a címet, hogy tudjuk, az Öné.|Cím megerősítése|A link 24 óráig él.|Vásárlása elhagyta a raktárat.|Vásárlás megnézése|A hónap újdonságai.|Leiratkozás
ro|Încă un pas|Confirmați adresa, ca să știm că vă aparține.|Confirmă adresa|Linkul este valabil 24 de ore.|Cumpărătura dvs. a plecat din depozit.|Vezi cumpărătura|Noutățile lunii.|Dezabonare
el|Ένα βήμα ακόμα|Επιβεβαιώστε τη διεύθυνση για να ξέρουμε ότι είναι δική σας.|Επιβεβαίωση διεύθυνσης|Ο σύνδεσμος ισχύει 24 ώρες.|Η αγορά σας έφυγε από την αποθήκη.|Δείτε την αγορά|Τα νέα του μήνα.|Διαγραφή
bg|Още една стъпка|Потвърдете адреса, за да знаем, че е ваш.|Потвърди адреса|Връзката е валидна 24 часа.|Покупката ви напусна склада.|Виж покупката|Новините на месеца.|Отписване
ar|خطوة أخيرة لحسابك|يرجى تأكيد العنوان لنعرف أنه لك.|تأكيد العنوان|الرابط صالح لمدة 24 ساعة.|غادرت مشترياتك المستودع.|عرض المشتريات|جديد هذا الشهر.|إلغاء الاشتراك
he|עוד צעד אחד|אשרו את הכתובת כדי שנדע שהיא שלכם.|אישור הכתובת|הקישור תקף 24 שעות.|הקנייה שלכם יצאה מהמחסן.|צפייה בקנייה|החדשות של החודש.|הסרה מרשימת התפוצה
hi|बस एक कदम और|पता आपका है यह जानने के लिए कृपया उसे सत्यापित करें।|पता सत्यापित करें|लिंक 24 घंटे मान्य है।|आपकी खरीदारी गोदाम से निकल चुकी है।|खरीदारी देखें|इस महीने की खबरें।|सदस्यता समाप्त करें
th|เหลืออีกหนึ่งขั้นตอน|โปรดยืนยันที่อยู่เพื่อให้เราทราบว่าเป็นของคุณ|ยืนยันที่อยู่|ลิงก์ใช้ได้ 24 ชั่วโมง|สินค้าของคุณออกจากคลังแล้ว|ดูสินค้า|ข่าวประจำเดือน|ยกเลิกการรับข่าวสาร
id|Satu langkah lagi|Konfirmasikan alamat ini agar kami tahu ini milik Anda.|Konfirmasi alamat|Tautan berlaku 24 jam.|Belanjaan Anda sudah keluar dari gudang.|Lihat belanjaan|Kabar bulan ini.|Berhenti berlangganan
`;

const MADE_OF_EACH = 7;

export type LinkMail = {
  language: string;
  from: string;
  subject: string;
  text?: string;
  html?: string;
  link: string | null;
};

const button = (href: string, label: string) =>
  `<table><tr><td style="background:#222;border-radius:4px"><a href="${href}" style="color:#fff;padding:12px 20px;display:inline-block">${label}</a></td></tr></table>`;

/** Four mails with a link and three without in each of 30 languages. */
export function heldBackLinks(random: Random): LinkMail[] {
  return TABLE.trim()
    .split("\n")
    .flatMap((line) => {
      const [
        language = "",
        subject = "",
        ask = "",
        label = "",
        until = "",
        purchase = "",
        see = "",
        news = "",
        stop = "",
      ] = line.split("|");
      const host = `${random.pick(["fjell", "kite", "numo", "alto"])}.example`;
      const token = () =>
        `${random.pick(["k", "w", "r"])}${random.digits(5)}${random.pick(["xQ", "bM", "tZ"])}${random.digits(6)}`;
      const [own, tracked, bought] = [
        `https://${host}/m/${token()}`,
        `https://click.${host}/ls/${token()}${token()}`,
        `https://${host}/b/${token()}`,
      ];
      const leave = `<p style="font-size:11px"><a href="https://${host}/l/${token()}">${stop}</a></p>`;
      const made: Omit<LinkMail, "language" | "from">[] = [
        { subject, text: `${ask}\n\n${own}\n\n${until}\n`, link: own },
        { subject, text: `${ask} <${own}>\n${until}\n`, link: own },
        { subject, html: `<p>${ask}</p>${button(tracked, label)}<p>${until}</p>${leave}`, link: tracked },
        { subject: label, html: `<p>${ask}</p><p><a href="${own}">${label}</a></p><p>${news}</p>${leave}`, link: own },
        { subject: purchase, html: `<p>${purchase}</p>${button(bought, see)}${leave}`, link: null },
        {
          subject: news,
          html: `<p>${news}</p><p>${purchase}</p>${button(tracked, see)}${button(bought, news)}${leave}`,
          link: null,
        },
        { subject: news, text: `${news}\n\n${bought}\n\n${stop}: https://${host}/l/${token()}\n`, link: null },
      ];
      return made
        .slice(0, MADE_OF_EACH)
        .map((mail) => ({ language, from: `${random.pick(["no-reply", "hello", "post"])}@${host}`, ...mail }));
    });
}
