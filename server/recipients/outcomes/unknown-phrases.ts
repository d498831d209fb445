// How servers say, without a code or under a vague one, that an address does not exist, or that something else is wrong.

const RECIPIENT = "(?:user|recipient|mailbox|account|addressee)";
/** Of a person's mailbox, and of nothing else. */
const ENGLISH_RECIPIENT = [
  `unknown (?:local )?${RECIPIENT}`,
  `${RECIPIENT}s? (?:name )?(?:is |was )?(?:unknown|not (?:found|known))`,
  `${RECIPIENT}s? (?:does not|doesn['’]t|no longer) exists?`,
  `no such (?:${RECIPIENT}|person)`,
  "no mailbox (?:here )?by that name",
  "(?:does not|doesn['’]t) have an? (?:\\S{1,64} )?(?:account|mailbox)",
  `invalid ${RECIPIENT}|non-?existent ${RECIPIENT}`,
  `not a (?:known|valid) ${RECIPIENT}`,
  `${RECIPIENT} (?:\\S{1,64} )?(?:is )?not (?:listed )?(?:in|on) (?![^.]{0,40}(?:allow|white|safe|permit|approv))(?:[\\w&-]{1,30} ){0,4}(?:list|table|directory|database|address book)`,
];
/** Articles, "here", "was" and the like, which change nothing about what a clause says. */
const SMALL = [
  "der|die|das|in der domain|der domain|unter der domain|den|dieser|diese|dieses|angegebene[rs]?|ist|wurde|hier|uns|bei uns|auf (?:diesem|unserem) server|im system|mit diesem namen",
  "le|la|l|les|(?:dans le|du|sur le) domaine|ce|cet|cette|est|a été|ici|chez nous|sur (?:ce|notre) serveur|dans (?:le|notre) système|de ce nom|à ce nom|demandée?|indiquée?",
  "el|los|(?:en el|del) dominio|ese|esa|este|esta|es|ha sido|fue|se ha|aquí|en (?:este|nuestro|el) (?:servidor|sistema)|con (?:ese|este) nombre|indicad[oa]",
  "a|o|os|(?:no|do) domínio|esse|é|foi|aqui|n(?:o|este|osso) (?:servidor|sistema)|com (?:este|esse) nome|informad[oa]",
  "il|lo|(?:nel|del|sul) dominio|questo|questa|è|è stat[oa]|qui|su questo server|nel (?:nostro )?sistema|con questo nome|indicat[oa]",
  "de|er|het|(?:in|op) het domein|deze|dit|is|werd|hier|bij ons|op deze server|in (?:ons|het) systeem|met (?:die|deze) naam",
  "den|det|i domänen|i domænet|i domenet|denna|denne|dette|är|er|blev|ble|här|her|hos oss|på denna server|på denne server|i systemet|med (?:det|detta|dette) navn|med det namnet",
  "on|verkkotunnuksessa|tartományban|domainben|tämä|tätä|täällä|tällä palvelimella|ez|az|ezen a (?:szerveren|kiszolgálón)|itt",
  "ten|ta|to|w domenie|v doméně|v doméne|u domeni|v domeni|na domeni|jest|tutaj|na tym serwerze|w systemie|v systému|v systéme|u sustavu|u sistemu|v sistemu|o tej nazwie|nie została?|została?|tento|tato|je|zde|na tomto serveru|na tomto serveri|ovaj|ova|ovdje|ta",
  "acest|(?:în|pe) domeniul|στον τομέα|această|aici|pe acest server|în sistem|cu acest nume|este|ο|η|το|αυτός|αυτή|αυτό|είναι|εδώ|σε αυτόν τον διακομιστή",
  "этот|в домене|в домені|в домейна|на домена|у домену|на домену|такой|указанный|был|здесь|на этом сервере|на сервере|в системе|в системі|в системата|у систему|с таким именем|у нас|цей|ця|тут|на цьому сервері|такий|този|тази|тук|на този сървър|овај|овде",
  "bu|bu sunucuda|(?:alan|etki alanı) adında|etki alanında|alan adında|burada|adında|adlı|هذا|هذه|لدينا|هنا|على هذا الخادم|این|در این سرور|است|اینجا|הזה|הזאת|זה|כאן|בשרת זה|בשם הזה",
  "यह|इस|है|यहाँ|ini|di domain|(?:trong|trên) tên miền|itu|di server ini|di sini|di (?:dalam )?sistem|này|trên máy chủ này|(?:trên|trong) hệ thống|ở đây|đã|นี้|ในระบบนี้",
].join("|");
/** At the start of a line, names the cause, which follows on the line or in the next. */
export const CAUSE = new RegExp(
  `^[\\s|*•-]{0,8}(?:${[
    "(?:the )?(?:reason|cause)(?: of (?:the )?(?:error|failure))?|error|grund|ursache|fehler(?:ursache)?|motif|raison|cause|erreur|motivo|causa|razón|razão|erro|errore",
    "reden|oorzaak|fout(?:melding)?|orsak|årsag|årsak|fel|fejl|feil|syy|virhe|põhjus|viga|iemesls|kļūda|priežastis|klaida|(?:a )?(?:hiba )?oka?|hiba|powód|przyczyna|błąd|důvod|příčina|chyba|dôvod|príčina|razlog|vzrok|greška|napaka|motiv|cauza|eroare|shkaku|gabimi",
    "αιτία|λόγος|σφάλμα|причина|ошибка|помилка|разлог|грешка|sebep|neden|hata|səbəb|xəta|себеп|sabab|xato|السبب|سبب|خطأ|خطا|علت|סיבה|הסיבה|שגיאה|कारण|त्रुटि|কারণ|ত্রুটি",
    "alasan|sebab|penyebab|galat|kesalahan|ralat|lý do|nguyên nhân|lỗi|เหตุผล|สาเหตุ|ข้อผิดพลาด|理由|原因|エラー|错误|錯誤|이유|사유|원인|오류",
  ].join("|")}) ?[:：]`,
  "iu",
);
/** Of a domain that is named in a sentence. */
const DOMAIN = /(?<![\w.-])(?:[\w-]{1,63}\.){1,10}[a-z][\w-]{1,62}(?![\w-])/gi;
/** Servers leave out accents, where their replies are in ASCII. */
const folded = (text: string) =>
  text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
const SMALL_WORDS = new RegExp(`(?<![\\p{L}\\p{M}])(?:${folded(SMALL)})(?![\\p{L}\\p{M}])`, "giu");
/**
 * A mailbox in another language, in the forms that are a subject; that there is none, behind it; the same before it. All without small
 * words.
 */
const IN_LANGUAGES: [mailbox: string, behind: string, before: string][] = [
  [
    "(?:benutzer|empfänger|empfaenger)(?:adresse)?|postfach|teilnehmer|mailkonto|e ?mail adresse|e ?mail ?konto",
    "unbekannt|existiert nicht|nicht vorhanden|nicht gefunden|gibt es nicht|gelöscht|geschlossen|aufgelöst|existiert nicht mehr",
    "unbekannte[rsn]?|kein(?:e[nr]?)? solche[rsn]?",
  ],
  [
    "utilisateur|destinataire|boîte(?: aux lettres)?|adresse(?: e ?mail)?(?: du destinataire)?|compte e ?mail",
    "inconnue?|introuvable|inexistante?|n existe (?:pas|plus)|supprimée?|fermée?|clôturée?",
    "pas de telle?|aucune?",
  ],
  [
    "usuario|destinatario|buzón|cuenta|dirección(?: de correo| del destinatario)|cuenta de correo",
    "desconocid[oa]|inexistente|no existe|no encontrad[oa]|no se encuentra|eliminad[oa]|cerrad[oa]|dad[oa] de baja",
    "no existe(?: tal)?|ningún",
  ],
  [
    "usuário|utilizador|destinatário|caixa postal|caixa de correio|endereço (?:de e ?mail|do destinatário)|conta de e ?mail",
    "desconhecid[oa]|inexistente|não existe|não encontrad[oa]|encerrad[oa]|eliminad[oa]|excluíd[oa]",
    "não existe(?: tal)?|não existe nenhum|nenhum",
  ],
  [
    "utente|destinatario|casella|indirizzo (?:e ?mail|del destinatario)|account e ?mail",
    "sconosciut[oa]|inesistente|non esiste|non trovat[oa]|chius[oa]|eliminat[oa]|cancellat[oa]",
    "non esiste(?: tale)?|nessun",
  ],
  [
    "gebruiker|ontvanger|geadresseerde|postbus|postvak|mailadres|adres van ontvanger|e ?mail ?account|mail ?account",
    "onbekend|niet gevonden|bestaat niet|opgeheven|verwijderd|gesloten",
    "onbekende|geen(?: zulke| dergelijke)?",
  ],
  [
    "användaren?|mottagaren?|brevlådan?|postlådan?|e ?postadressen?|e ?postkontot?",
    "okänd|finns (?:inte|ej)|hittades (?:inte|ej)|existerar inte|avslutat|avslutats|raderats|raderad|borttagen",
    "okänd|ingen sådan",
  ],
  [
    "(?:bruger|bruker|modtager|mottaker|postboks)(?:en)?|postkassen?|e ?postkontoen?|mailkontoen?",
    "ukendt|ukjent|findes ikke|finnes ikke|eksisterer ikke|ikke fundet|ikke funnet|slettet|nedlagt|lukket|stengt",
    "ukendt|ukjent|ingen (?:sådan|slik)",
  ],
  [
    "käyttäjää?|vastaanottajaa?|postilaatikkoa?|sähköpostiosoitetta|sähköpostiosoite|sähköpostitili",
    "tuntematon|ei(?: ole)? olemassa|ei löydy|ei löytynyt|poistettu|suljettu",
    "tuntematon",
  ],
  [
    "felhasználó|címzett(?: címe)?|postafiók|e ?mail cím|e ?mail fiók",
    "ismeretlen|nem létezik|nem található|nem ismert|megszűnt|törölve|törölték",
    "ismeretlen|nincs ilyen|nem létező",
  ],
  [
    "użytkownik|odbiorca|adresat|skrzynka|adres odbiorcy|konto pocztowe",
    "nieznan[ya]|nie istnieje|(?:nie )?znalezion[ya]|usunięt[yae]|zamknięt[yae]|zlikwidowan[yae]",
    "nieznan[ya]",
  ],
  [
    "użytkownika|odbiorcy|adresata|skrzynki",
    "nie znaleziono",
    "brak takie(?:go|j)|nie ma takie(?:go|j)|nie znaleziono",
  ],
  [
    "uživatel|příjemce|adresát|schránka|používateľ|príjemca|adresa (?:příjemce|príjemcu)|e ?mailový účet",
    "neznám[ýáy]|neexistuje|nenalezena?|nebyla? nalezena?|nenájden[ýá]|nebola? nájden[ýá]|zrušen[aáýy]?|smazána?|vymazan[áý]|zanikla?",
    "neznám[ýáy]|žádný takový|žádná taková|neexistující|neexistujúc[ia]",
  ],
  [
    "korisnik|primatelj|primalac|sandučić|pretinac|uporabnik|prejemnik|nabiralnik|e ?mail račun",
    "nepoznat|neznan|ne postoji|ne obstaja|nije pronađen|ni bil najden|ukinut|obrisan|zatvoren|ukinjen|izbrisan",
    "nepoznati?|neznan",
  ],
  [
    "utilizatorul|destinatarul|căsuța|utilizator|destinatar|adresa destinatarului|contul de e ?mail",
    "necunoscută?|inexistentă?|nu există?|nu a fost găsită?|desființată?|ștearsă|șters|închisă?",
    "nu există",
  ],
  [
    "χρήστης|παραλήπτης|γραμματοκιβώτιο|θυρίδα|λογαριασμός email",
    "άγνωστ(?:ος|η|ο)|δεν υπάρχει|δεν βρέθηκε|ανύπαρκτ(?:ος|η|ο)|διαγράφηκε|έχει διαγραφεί|έχει κλείσει|καταργήθηκε",
    "άγνωστ(?:ος|η|ο)",
  ],
  [
    "пользователь|получатель|адресат|почтовый ящик|ящик|учетная запись|адрес получателя",
    "неизвест(?:ен|на|ный)|не найдена?|не существует|не зарегистрирована?|не обнаружена?|удален[аы]?|закрыт[аы]?|ликвидирован[аы]?",
    "неизвестн(?:ый|ая)|несуществующ(?:ий|ая)",
  ],
  ["пользователя|получателя|адресата|ящика|почтового ящика", "нет|не существует", "нет такого|не существует такого"],
  [
    "користувача?|отримувача?|одержувача?|скринька|скриньку|поштова скринька",
    "невідом(?:ий|а)|не існує|не знайдено|видален[аоий]{1,2}|закрит[аоий]{1,2}",
    "невідом(?:ий|а)|немає тако(?:го|ї)|неіснуюч(?:ий|а)",
  ],
  [
    "потребител(?:ят)?|получател(?:ят)?|кутията|корисник|прималац|пощенската кутия",
    "непознат|не съществува|не е намерена?|не постоји|није пронађен|изтрита?|закрита?|избрисан|затворен",
    "непознат|няма такъв",
  ],
  [
    "kullanıcı|alıcı|posta kutusu|e ?posta hesabı",
    "bulunamadı|bulunamıyor|mevcut değil|bilinmiyor|bulunmuyor|bulunmamaktadır|silinmiş|silindi|kapatıldı|kapatılmış(?:tır)?",
    "bilinmeyen",
  ],
  ["böyle bir (?:kullanıcı|alıcı|posta kutusu)", "yok|bulunamadı|bulunmuyor|bulunmamaktadır", "sistemde"],
  [
    "مستخدم|المستخدم|المستلم|المرسل إليه|صندوق البريد|حساب البريد",
    "غير موجود|غير معروف|لا وجود له|غير مسجل|محذوف|مغلق|تم حذفه|تم إغلاقه",
    "لا يوجد|لم يتم العثور على|تعذر العثور على",
  ],
  ["کاربر|گیرنده|صندوق پستی", "وجود ندارد|یافت نشد|پیدا نشد|ناشناخته", "چنین"],
  [
    "המשתמש|הנמען|תיבת הדואר|התיבה|תיבה|נמען|משתמש|חשבון הדואר",
    "לא קיים|לא קיימת|אינו קיים|אינה קיימת|לא נמצא|לא נמצאה|לא מוכר|נמחק|נמחקה|נסגר|נסגרה",
    "אין|לא נמצא|לא נמצאה|לא קיים|לא קיימת",
  ],
  ["उपयोगकर्ता|प्राप्तकर्ता|मेलबॉक्स|ব্যবহারকারী|প্রাপক", "नहीं मिला|मौजूद नहीं|अज्ञात|পাওয়া যায়নি|অজানা", "अज्ञात|অজানা"],
  [
    "pengguna|penerima|kotak surat|kotak pos|alamat (?:email|surel|penerima)|peti mel|akun email|akun surel",
    "tidak (?:ditemukan|dikenal|terdaftar|wujud|dijumpai)|(?:telah )?(?:dihapus|ditutup)",
    "tidak (?:ditemukan|ada)",
  ],
  [
    "người dùng|người nhận|hộp thư|địa chỉ(?: email| thư| người nhận)?|tài khoản email",
    "không tồn tại|không (?:được )?tìm thấy|(?:bị )?(?:xóa|xoá|đóng)",
    "không tìm thấy|không tồn tại|không có",
  ],
  ["(?:ผู้ใช้|ผู้รับ|กล่องจดหมาย|ที่อยู่อีเมล)(?:นี้)?", "ไม่มีอยู่(?:จริง)?|ไม่พบ", "(?:ระบบ)?ไม่พบ"],
  [
    "(?:この|その|ご?指定の|ご?指定された)?(?:ユーザー?|利用者|宛先|受信者|メールボックス|アカウント|メールアドレス)(?:は|が)?",
    "見つかりません(?:でした)?|存在し(?:ません|ない)|不明(?:です)?|(?:ディレクトリ|名簿)に(?:ありません|存在しません)|(?:すでに)?(?:削除|廃止|解約)され(?:ました|ています)",
    "不明な|存在しない",
  ],
  [
    "(?:사용자|수신자|받는 사람|메일함|편지함|메일 주소)(?:를|을|가|이|는|은)?",
    "찾을 수 없(?:습니다|음)|존재하지 않(?:습니다|음)|(?:삭제|폐쇄)(?:되었습니다|됨)",
    "존재하지 않는|알 수 없는",
  ],
  [
    "(?:该|該|此|您的|指定的?)?(?:用户|用戶|使用者|收件人|收件者|邮箱|郵箱|信箱)(?:地址)?",
    "不存在|未找到|找不到|已(?:注销|註銷|删除|刪除|关闭|關閉|停用)",
    "(?:(?:本|该|該)?(?:系统|系統))?(?:(?:没有|沒有)(?:此|该|該|这个|這個)|无此|無此|查无此|查無此|不存在的?|未知|找不到)",
  ],
];
/** A form without small words: one of another language may stand in it, as in "cuenta de correo". */
const withoutSmall = (form: string) =>
  form
    .replace(SMALL_WORDS, (word, at: number) => (`${form[at - 1]}${form[at + word.length]}`.includes(" ") ? "" : word))
    .replace(/ {2,}/g, " ");
/** A clause that says nothing else: beside another noun ("no key of the user was found"), the mailbox exists. */
const ONLY_UNKNOWN = IN_LANGUAGES.map((forms) => {
  const [mailbox, behind, before] = forms.map((form) => withoutSmall(folded(form)));
  return new RegExp(`^(?:(?:${mailbox}) ?(?:${behind})|(?:${before}) ?(?:${mailbox}))$`, "iu");
});
const CLAUSE_END = /[.,;:!?()[\]/|–—。、，；：！？（）।،؛؟\r\n]+/u;
const NOT_LETTERS = /[^\p{L}\p{M}]+/gu;
/** Space, fullness, size, attachments, servers, errors, rights, keys, lists, strangers and requests to wait, in the languages of the table. */
const OTHER_MATTER = new RegExp(
  folded(
    [
      "voll(?!st)|überfüllt|speicher|platz|kontingent|größe|anhang|anlage|server|fehler|berechtig|rechte|schlüssel|zertifikat|liste|extern|vorübergehend|später",
      "plein|espace|taille|jointe|serveur|erreur|droits?\\b|\\bclés?\\b|certificat|externe|temporaire|plus tard|provisoire",
      "llen[oa]|espacio|espaço|tamaño|tamanho|adjunt|anex|servidor|error|erro\\b|permis|derecho|direito|clave|chave|lista|temporal|temporári|chei[oa]|cuota|cota\\b|luego",
      "pien[oa]|spazio|dimension|allegat|errore|diritt|chiave|estern|temporane|più tardi",
      "\\bvol\\b|ruimte|bijlage|fout|recht|sleutel|tijdelijk|lijst|\\bfull|utrymme|plats|bilag|\\bfel(?:et)?\\b|\\bfeil|\\bfejl|behörig|rettighe|nyckel|nøkkel|nøgle|tillfällig|midlertidig|senare|senere|plads|plass|vedlegg|vedhæft",
      "täyn|\\btila|liite|liitet|palvelin|palvelim|virhe|oikeu|avain|avaint|tilapäi|myöhemmin|megtelt|betelt|hely|melléklet|szerver|kiszolgáló|hiba|jogosult|kulcs|később|ideiglenes|átmeneti",
      "pełn|miejsc|załącznik|serwer|błąd|błęd|uprawnie|klucz|zewnętrzn|tymczasow|później|przepełn|limit",
      "pln[áéýa]\\b|zaplněn|místo|míst|miest|příloh|prílo|chyb|oprávn|klíč|kľúč|extern|dočasn|později|neskôr|preplnen|přeplněn",
      "\\bpun|prostor|poslužitelj|strežnik|grešk|napak|\\bprav[oa]|ključ|kasnije|pozneje|privremen|začasn|prilog",
      "plin[ăa]?\\b|spațiu|eroare|drept|cheie|temporar|mai târziu|atașament",
      "πλήρη|γεμάτ|χώρο|διακομιστ|σφάλμα|δικαίωμα|κλειδί|προσωριν|αργότερα|συνημμέν|άδεια",
      "полон|полн|перепол|мест|сервер|ошибк|прав[оа]|ключ|внешн|времен|позже|вложени|размер|квот|лимит|повн|місц|помилк|зовнішн|тимчас|пізніше|пълн|място|сървър|грешк|външ|по късно|серв",
      "dolu|doldu|alan|\\byer|sunucu|hata|yetki|izin|anahtar|harici|geçici|sonra|\\bkota\\b|\\bek(?:i|ler)\\b",
      "ممتلئ|مساحة|خادم|الخادم|خطأ|صلاحي|إذن|مفتاح|خارجي|مؤقت|لاحق|مرفق|حصة|فضا|سرور|خطا|مجوز|کلید|موقت|بعدا|پیوست|سهمیه|پر است|اجازه|دسترسی",
      "מלא|מקום|שרת|שגיאה|הרשא|מפתח|חיצונ|זמני|מאוחר|קובץ|מכסה|भर|जगह|सर्वर|त्रुटि|अनुमति|कुंजी|बाहरी|अस्थायी|बाद|ত্রুটি|সার্ভার|জায়গা|পূর্ণ|অনুমতি",
      "penuh|ruang|peladen|pelayan|galat|ralat|kesalahan|izin|kebenaran|akses|\\bhak\\b|kunci|luar|sementara|nanti|lampiran|kuota",
      "đầy|dung lượng|hết chỗ|máy chủ|\\blỗi\\b|quyền|khóa|khoá|bên ngoài|tạm thời|\\bsau\\b|đính kèm",
      "เต็ม|พื้นที่|เซิร์ฟเวอร์|ข้อผิดพลาด|สิทธิ|กุญแจ|ภายนอก|ชั่วคราว|ภายหลัง|ไฟล์แนบ|โควตา",
      "空き|容量|満杯|いっぱい|サーバ|エラー|権限|許可|鍵|外部|一時|後で|後ほど|添付|リスト",
      "가득|공간|용량|서버|오류|권한|허용|키를|외부|일시|나중|첨부|목록|초과",
      "满|滿|空间|空間|容量|配额|配額|服务器|伺服器|主机|主機|错误|錯誤|权限|權限|密钥|密鑰|证书|外部|暂时|暫時|稍后|稍後|附件|大小|名单|名單|繁忙|超",
    ].join("|"),
  ),
  "iu",
);
const ENGLISH = [
  "account has been disabled or discontinued",
  "unknown address",
  "address(?:es)? (?:is |was )?(?:unknown|not (?:found|known))",
  "(?:address|domain)(?:es|s)? (?:does not|doesn['’]t) exist",
  "no such (?:address|domain|host)",
  "(?:un?routeable|invalid) address|un?routeable (?:recipient|mailbox)",
  "non-?existent (?:hosts?|domain|address)",
  "(?:could not|couldn['’]t) find any host|host (?:or domain name )?not found|nxdomain|null ?mx",
];
const OTHERS = [
  "nicht bekannt|existiert nicht|bestaat niet|nicht im .{0,30}verzeichnis",
  "n['’]existe pas|no existe|não existe|non esiste",
  "nie istnieje|brak takiego|не существует|не найден",
  "不存在|存在しません|존재하지 않",
];

export const UNKNOWN_RECIPIENT = new RegExp(`\\b(?:${ENGLISH_RECIPIENT.join("|")})\\b`, "i");
export const UNKNOWN_ADDRESS = new RegExp(`\\b(?:${[...ENGLISH_RECIPIENT, ...ENGLISH].join("|")})\\b`, "i");
const UNKNOWN_ELSEWHERE = new RegExp(folded(OTHERS.join("|")), "iu");

/** Whether words are about a message, a limit, a server or a rule. */
export const isOtherMatter = (words: string) =>
  OTHER_MATTER.test(folded(words)) || ABOUT_MESSAGE.test(words) || RESTRICTED.test(words);

/** Whether words in another language than English say that an address does not exist, and nothing else is wrong. */
export function isUnknownElsewhere(words: string): boolean {
  const inWords = (text: string) => text.replace(NOT_LETTERS, " ");
  const plain = folded(
    words
      .replace(/^\d{3} /, "")
      .replace(CAUSE, "")
      .replace(DOMAIN, " "),
  );
  const bare = plain.split(CLAUSE_END).map((clause) => inWords(inWords(clause).replace(SMALL_WORDS, "")).trim());
  const all = bare.join(" ");
  if (OTHER_MATTER.test(all) || ABOUT_MESSAGE.test(words) || RESTRICTED.test(words)) return false;
  return UNKNOWN_ELSEWHERE.test(plain) || bare.some((clause) => ONLY_UNKNOWN.some((form) => form.test(clause)));
}

/** Of a mailbox that is gone, where nothing says that it is full or comes back. Relays say the same of an account of their own customers. */
export const CLOSED_MAILBOX =
  /\b(?:user|recipient|mailbox|addressee) (?:has been|is|was) (?:permanently )?(?:disabled|discontinued|deactivated|closed|deleted|terminated)\b/i;

/** Words to the author of the mail: a host or an address that is not found may then be the author's. */
export const OF_CUSTOMER = /\byour\b/i;

/** Words for the side that sends: what does not exist there is no fault of the recipient. */
export const OF_SENDER =
  /\b(?:sender|sending|outgoing|outbound|smtp account|mail from|from address|helo|ehlo|client|reverse|your(?! (?:e-?mail|mail|message)s?(?! (?:server|system|host|address|domain|account))\b)|ptr)\b|absender|expéditeur|remitente|remetente|mittente|afzender|nadawc|отправител|обратн|发件|發件|寄件|差出人|送信(?:者|元)|발신|보낸/i;

/** The sender's address is refused, where a code of the recipient's address stands before it. */
export const FROM_SENDER =
  /\b(?:sender(?:['’]?s)?|from (?:address(?:es)?|header|domain)|return[ -]path)\b|absender|expéditeur|remitente|remetente|mittente|отправител/i;

/** What a message holds, a mailbox that is full, a limit, and requests to try later: under a vague code, no fault of the address. */
export const ABOUT_MESSAGE = new RegExp(
  [
    "\\b(?:content|attachments?|virus|malware|infected|phishing|unsolicited|suspicious|too (?:large|big|long)|message size)\\b",
    "\\b(?:storage|disk space|(?:over|out of|exceed\\w*|its?) ?quota|quota|mailbox (?:is )?full|(?:is|are) full|(?:daily|hourly|size|sending|message|recipient|connection) limits?|limit (?:is |was )?(?:reached|exceeded))\\b",
    "\\b(?:(?:re)?try|(?:re)?send|come back|attempt)\\b[^.]{0,30}\\b(?:later|again)\\b|\\btemporar(?:y|ily)\\b|\\bthrottl|\\bgr[ae]ylist|\\boverload",
  ].join("|"),
  "i",
);

/** Who may write to a recipient, and from where: a vague code with such words is a policy, also where it speaks of the recipient. */
export const RESTRICTED =
  /\b(?:prohibit\w*|restrict\w*|not (?:allowed|permitted|authori[sz]ed|accept\w*)|(?:does|do|will) not (?:accept|allow|receive|want)|unauthori[sz]ed|only|(?<!no longer )accepts?|moderat\w*|members?|subscribers?|subscription|permissions?|approv\w*|polic\w*|exceed\w*|headers?|ip|dns|rdns|hosts?|networks?|country|listed|access (?:is )?denied|unwelcome|unwanted|callback|callout)\b|\d{1,3}(?:\.\d{1,3}){3}|verdacht|richtlinie|gesperrt|verweigert|erlaubt|bloqu|interdit|autoris|autoriz|permit|politique|política|запрещ|заблок|политик|拒绝|拒絕|拒否|차단/i;

/** Words for the recipient, or for its address. */
export const ABOUT_RECIPIENT =
  /\b(?:users?|recipients?|mailbox(?:es)?|accounts?|address(?:es)?|inbox|alias|person|customer|rcpt|local part)\b/i;
/** The same in other languages. */
export const ABOUT_RECIPIENT_ELSEWHERE =
  /empfänger|postfach|benutzer|adresse|destinatai?r|utilisateur|boîte|usuario|buz[óo]n|cuenta|dirección|usuário|caixa|conta\b|endereço|casella|utente|indirizzo|ontvanger|gebruiker|odbiorc|użytkownik|skrzynk|получател|пользовател|ящик|адрес|收件人|用户|用戶|邮箱|郵箱|信箱|宛先|受信者|ユーザ|수신자|사용자|받는 사람/i;
