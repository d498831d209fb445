// Words beside numbers and senders that say what a number is: those that need more than a line of code-words.ts.

/** Each line is a language, or several with the same words, and the beginnings of its words, or parts of a pattern. */
const linesOf = (lines: string) =>
  lines
    .trim()
    .split("\n")
    .flatMap((line) => line.trim().split(" ").slice(1));
const anyOf = (lines: string) =>
  linesOf(lines)
    .map((each) => each.replaceAll("_", "[ -]?"))
    .join("|");

/** The number of a confirmation is that of a booking or an order, and the number of a registration that of a request. */
export const CONFIRMS = new RegExp(
  anyOf(`
    en,ro confirm
    it conferma
    de best[äa]tigung
    nl bevestig
    pl potwierdz rejestr
    cs,hr,sk,sl potvrd
    ru подтвержд зарегистр регистр
    uk підтвердж зареєстр
    hu megerősít
    en,de,fr,es,pt regist
    fi,et rekister
    lv reģistr rekistr
    tr kayd kayıt
    id terdaftar didaftar
    el καταχωρ
    he נרשמ
    ar تسجيل(?!\\sالدخول)
    fa ثبت
    zh,ja 登録|登記|登记
    ko 접수|등록
  `),
  "iu",
);

/** The number of a meeting or a conference call, beside which a passcode is no one-time code: "Meeting ID", "ID de réunion". */
export const MEETING = new RegExp(
  [
    `(?:${anyOf(`
      en meeting conference webinar
      de besprechungs? konferenz_?
      nl vergader(?:ing)?
      sv,no möte(?:s_)? møte_
      da møde
      fi kokous kokouksen_?
      tr toplantı
      az görüş iclas
      uk спотканн? зустрічі конференції
      ru,bg конференци совещани
      hu értekezlet megbeszélés
      el σύσκεψης_?
      lt susitikimo_? posėdžio_?
      lv sapulces_?
      et koosoleku_?
      ja ミーティング_? 会議_?
      zh 会议 會議
      ko 회의_?
      hi,mr मीटिंग_? बैठक_?
      bn মিটিং_? সভা_?
      ta மீட்டிங்_?
      ur,fa میٹنگ_? جلسه_?
    `)})[ -]?(?:id|no|kimliği|id-si|azonosító|αναγνωριστικό|号|號|आईडी|আইডি|ஐடி|آئی ڈی)(?!\\p{L})`,
    `(?:\\bid|معرف|معرّف|رقم|מזהה|מספר|شناسه|идентификатор|ідентифікатор|αναγνωριστικό|รหัส|ไอดี|номер|mã|kod)[ -](?:de (?:la )?|da |del |della |na |за |των |της )?(?:${anyOf(`
      fr réunion
      es reunión
      pt reunião
      it riunione
      ro ședinței întâlnirii
      ca reunió
      pl spotkania
      cs,sk schůzky schôdze stretnutia porady
      hr,sr,sl sastanka sestanka састанка
      ru,uk,bg конференции конференції вебинара срещата собрания
      vi cuộc_họp phòng_họp
      id,ms rapat mesyuarat
      tl pulong
      th การประชุม ประชุม
      ar الاجتماع اجتماع
      he פגישה הפגישה ישיבה
      fa جلسه
    `)})`,
  ].join("|"),
  "iu",
);

/** What the number of the post is called in India. */
export const POST_IN_INDIA = /pin[ -]?code|पिन ?कोड|পিন ?কোড|பின் ?கோடு|పిన్ ?కోడ్|ಪಿನ್ ?ಕೋಡ್|പിൻ ?കോഡ്|પિન ?કોડ/iu;

/** Senders that nobody can answer. */
export const ROBOT =
  /no[-_.]?repl|do[-_.]?not[-_.]?repl|nao[-_.]?responda|no[-_.]?responder|nicht[-_.]?antworten|mailer|bounce/i;

/** Senders that write about accounts: "account-security", "otp", but not "shipping", "lessons" or "accessories". */
export const AUTHENTICATION =
  /auth|login|log-in|signin|sign-in|verif|secur|account|konto|confirm|token|(?:^|[^a-z])(?:otp|code|id|access|sso|pin)(?:$|[^a-z])/i;

/** Words after a number that make it an amount, a duration, a date or part of an address. */
export const UNIT_AFTER = new RegExp(
  [
    `^(?:[%‰°$€£¥₽₺₩]|\\s?(?:${anyOf(`
      en min(?:ute)? mins minutes hours? days? sec(?:onds?)? weeks? months? years? people others readers items times pts points
      de minuten stunden tage punkte
      fr,es,pt minutes minutos heures jours horas días dias puntos
      it,nl minuti minuut minuten ore giorni uur dagen
      pl,cs godz dni
      tr saat gün dakika ile_biten
      ru часов минут дней руб\\p{L}{0,3}
      money usd eur euros? gbp chf tl try zł pln kr sek nok dkk
      measure kwh km kg g gb mb px dpi
    `)})(?!\\p{L})`,
    `|\\s?(?:年|年|月|日|円|元|원|년|월|일|号|號|番地|명|人|点|分|분|시|時|个|個|件|개)(?!証|证))`,
  ].join(""),
  "iu",
);

/** Before an example: "such as 123456". */
export const EXAMPLE = new RegExp(
  [
    `(?<!\\p{L}\\.?)(?:${anyOf(`
      en such\\sas for\\sexample for\\sinstance examples? e\\.?\\s?g\\.?
      de beispiel(?:sweise)? z\\.\\s?b\\.
      fr (?:par\\s|p\\.\\s?)?ex(?:emple|\\.)
      es,pt (?:por\\s|p\\.\\s?)?e(?:jemplo|xemplo|j\\.|x\\.)
      it (?:ad\\s)?esempio
      nl bijv(?:oorbeeld|\\.)
      sv,no,da t\\.\\s?ex\\. (?:till\\s)?exempel f\\.\\s?eks\\. eksempel
      fi esim(?:erkiksi|\\.)
      pl np\\. na\\sprzykład
      cs,sk např\\. například napr(?:íklad)?\\.?
      hu például pl\\.
      ro de\\sexemplu
      ru,bg на?пример напр\\.
      uk наприклад
      el π\\.?\\s?χ\\.?
      tr örne(?:ğin|k)
      id misalnya contoh(?:nya)?
      vi ví\\sdụ
      tl halimbawa
      he לדוגמה
      ar,fa مثل مثال مثلا
    `)})[^\\n]{0,12}$`,
    `(?:${anyOf(`
      ja 例 例えば
      zh 例如 比如
      ko 예 예를\\s들어
      th เช่น
      hi उदाहरण
    `)})[^\\n]{0,6}$`,
  ].join("|"),
  "iu",
);

/** After the number of a time: "1030 am". */
export const HALF_OF_DAY = /^\s?[ap]m(?!\p{L})/iu;

/** Directly before "it" in "482913, it can no longer be used", "482913. Er ist nicht mehr gültig". */
const THE_CODE = anyOf(`
  en (?:it|which|this\\s(?:code|pin))
  de (?:er|der|dieser\\scode)
  fr (?:il|ce\\scode|celui-ci)
  es este\\scódigo
  pt este\\scódigo
  it questo\\scodice
  nl (?:hij|deze|deze\\scode)
  sv,no,da (?:den|denne|koden)
  pl ten\\skod
  ru (?:он|этот\\sкод)
`);
const NOW =
  "(?:\\s(?:now|already|since|been|nun|jetzt|bereits|schon|inzwischen|leider|von\\suns|été|déjà|al|reeds|inmiddels|już|уже|redan|allerede)|\\saus\\s\\p{L}{5,24}gründen)*\\s";
const WITHDRAWN = anyOf(`
  en (?:has|was|have)NOW(?:blocked|revoked|cancel+ed|used|deactivated|disabled|invalidated|withdrawn|replaced|redeemed) is\\s(?:now\\s|already\\s)?(?:blocked|revoked|deactivated|disabled|invalid|void)(?!\\p{L}) can\\s?not?\\slonger\\sbe\\sused (?:is\\s)?no\\slonger\\s(?:valid|works?|accepted|active|usable|in\\suse)
  de (?:wurde|ist|haben\\swir)NOW(?:gesperrt|widerrufen|deaktiviert|storniert|verwendet|benutzt|genutzt|eingelöst|ungültig) (?:gesperrt|widerrufen|deaktiviert)(?!\\p{L}) kann\\snicht\\smehr\\s(?:verwendet|benutzt|genutzt) funktioniert\\snicht\\smehr
  fr aNOW(?:bloqué|révoqué|annulé|désactivé|utilisé|invalidé) est\\s(?:désormais\\s|déjà\\s)?(?:bloqué|révoqué|désactivé|invalide) ne\\s(?:peut\\splus|fonctionne\\splus)
  es (?:ya\\s)?(?:ha\\ssido|fue|está)\\s(?:ya\\s)?(?:bloqueado|revocado|anulado|cancelado|desactivado|utilizado|usado) ya\\sse\\s(?:ha\\s)?(?:usado|utilizado|usó|utilizó) ya\\sno\\s(?:se\\spuede|funciona|puede)
  pt (?:já\\s)?(?:foi|está)\\s(?:já\\s)?(?:bloqueado|revogado|anulado|cancelado|desativado|utilizado|usado) já\\snão\\s(?:é\\sválido|funciona|pode) não\\spode\\smais
  it è\\s(?:già\\s)?stato\\s(?:già\\s)?(?:bloccato|revocato|annullato|disattivato|utilizzato|usato) non\\s(?:può\\spiù|funziona\\spiù)
  nl (?:is|werd)NOW(?:geblokkeerd|ingetrokken|geannuleerd|gedeactiveerd|gebruikt|ongeldig) werkt\\sniet\\smeer kan\\sniet\\smeer
  sv (?:har|är)NOW(?:spärrats|spärrad|återkallats|återkallad|använts|använd|inaktiverats)(?!\\p{L}) fungerar\\sinte\\slängre kan\\sinte\\slängre
  no,da (?:er|har)NOW(?:blitt\\s|blevet\\s)?(?:sperret|spærret|blokkert|blokeret|tilbakekalt|tilbagekaldt|brukt|brugt)(?!\\p{L}) kan\\sikke\\sl(?:e|æ)nger
  pl (?:został|jest|był)NOW(?:zablokowan|unieważnion|anulowan|cofnięt|wykorzystan|użyt)[ya] nie\\sdziała\\sjuż już\\snie\\s(?:działa|jest\\sważn)
  cs,sk bylNOW(?:zablok|zneplatn|zrušen|použit)
  ru (?:был\\s)?(?:уже\\s)?(?:был\\s)?(?:заблокирован|отозван|аннулирован|использован|отмен[её]н)(?!\\p{L})
  uk (?:був\\s)?(?:вже\\s)?(?:заблоковано|скасовано|використано)(?!\\p{L})
  tr (?:\\p{L}{5,14}\\s)?(?:(?:kod|şifre)\\p{L}*\\s)?(?:(?:daha\\sönce|zaten|artık)\\s)?(?:kullanıldı|kullanılmış|iptal\\sedildi|engellendi|bloke\\sedildi|geçersiz(?:dir)?(?!\\p{L}))
  zh 已(?:经|經)?(?:被)?(?:使用|撤销|撤銷|锁定|鎖定|停用|冻结|凍結|取消|屏蔽)(?![\\p{L}]{0,3}(?:后|後))
  ja (?:す(?:で)に|既に|現在)?(?:無効(?:です|に(?:なりました|なっています|しました)|化)|失効(?:済み|しています|しました)|使用済み|使用され(?:ました|ています)|(?:使用|利用)できなくなりました)
  ko 이미\\s사용(?:되었|됐|된) (?:차단|취소|폐기|정지)(?:되었|됐)
`).replaceAll("NOW", NOW);

/** Which number it is: "482913, which was sent this morning, …". Because something else expired, no number did. */
const WHICH = `(?:,\\s)?(?:that|which|den|die|das|welche[nrs]?|que|qui|che|dat|som|kt[oó]r\\p{L}+|kter\\p{L}+|koj[aieu]|котор\\p{L}+|як(?:ий|а|у|е)|ко[йя]то|(?:pe\\s)?care|που|amely\\p{L}*|amit|jonka|joka)\\s(?:(?!because|weil|parce|porque|perch|omdat|fordi|eftersom|poniewa|protože|потому|old|alt|ancien|antigu|anterior|vecchi|gaml|stary|стар|oude|previous|last|letzt|sess?i|sitzung|password|passwor)[^\\n.;:!?\\p{Nd}]){3,60}?\\s`;

/** Behind a number that is not valid any more: "482913 has expired", "482913 that we sent is no longer valid", "482913. It was blocked". Otherwise at most one short word stands between. */
export const EXPIRED = new RegExp(
  `^["'»”’)\\]」』]?\\s{0,2}(?:[,.;]\\s{1,2}(?:${THE_CODE})\\s|${WHICH}|we\\s[a-z\\s]{3,20}\\s)?(?:(?!(?:and|und|et|y|e|i|och|og|en|as|car|da|si|if|и|а)(?!\\p{L}))\\p{L}{1,4}['’]?\\s?)?(?:${WITHDRAWN}|${anyOf(`
    en no\\slonger\\svalid has\\sexpired is\\snow\\sinvalid is\\sexpired was\\scancel+ed
    de nicht\\smehr\\sgültig ist\\s(?:nun\\s|jetzt\\s)?ungültig ist\\sabgelaufen
    fr (?:n['’]est\\s)?plus\\s(?:valable|valide) a\\sexpiré expirée? périmée?
    es,pt ya\\sno\\s(?:es\\svál|sirve) caducado expirado expirou não\\sé\\smais deixou\\sde\\sser
    it non\\sè\\spiù scadut[oa]
    nl niet\\smeer\\sgeldig is\\sverlopen
    sv,no,da inte\\slängre ikke\\sl(?:æ|e)nger\\sgyldig har\\sgått\\sut udløbet utløpt
    fi ei\\sole\\senää vanhentun
    pl stracił nieważn wygasł
    cs,sk již\\snepl už\\snepl vypršel
    hr,sr,sl istekao više\\snije više\\sne\\svaž ni\\sveč
    ru,bg изтекъл уже\\sнедейств ист[её]к больше\\sне вече\\sне\\sе
    uk вже\\sнедійсн більше\\sне
    hu már\\snem\\sérvény lejárt
    ro nu\\smai\\seste expirat
    el δεν\\sισχύει έληξε
    tr artık\\sgeçer (?:(?:kod|şifre)\\p{L}*\\s)?süresi\\s(?:doldu|bitti|geçti)
    az artıq\\setibarsız (?:(?:kod|şifrə)\\p{L}*\\s)?vaxtı\\s(?:bitdi|keçdi)
    lt nebegalioja nebetinka
    lv vairs\\snav
    et ei\\skehti\\senam aegu(?:s|nud)
    is ekki\\slengur útrunni
    sw haitumiki\\stena haifanyi\\skazi\\stena
    kk енді\\sжарамсыз мерзімі\\sөтті
    ka აღარ\\sმოქმედებს
    hy այլևս\\sչի\\sգործում
    ur اب\\sکارآمد\\sنہیں
    bn আর\\sবৈধ\\sনয়
    tl hindi\\sna\\s(?:valid|gumagana)
    ar لم\\sيعد انتهت\\sصلاحي
    fa دیگر\\sمعتبر منقضی
    he אינו\\sתקף פג\\sתוקפ
    vi không\\scòn\\shiệu đã\\shết\\shạn
    id,ms tidak\\sberlaku\\slagi kedaluwarsa tidak\\slagi\\ssah
    zh 已经?失效 已經?失效 已经?过期 已經?過期 已经?作[废廢] 已經?作[废廢] 不再有效
    ja 無効になりました 無効になった 失効しました 失効した
    ko 만료되었 더\\s이상\\s유효하지 무효
    th หมดอายุแล้ว ใช้ไม่ได้แล้ว
    hi अब\\sमान्य\\sनहीं समाप्त\\sहो\\s(?:गया|चुका)
  `)})(?!\\p{L}*,?\\s(?:after|once|when|if|nach|sobald|wenn|falls|après|si|dopo|después|depois|cuando|quando|na|als|efter|po|после|через|если)(?!\\p{L}))(?!\\p{L}{0,6}(?:場合|とき|時は|なら|的话|的話|다면|으면|경우))`,
  "iu",
);

/** What stands anywhere between a number and the words that it expired, and changes nothing. */
export const ADVERBS = new RegExp(
  `(?<=\\s)(?:${anyOf(`
    en now already just since meanwhile recently unfortunately also
    de nun jetzt bereits schon inzwischen mittlerweile leider soeben
    fr déjà maintenant désormais malheureusement
    es ya ahora lamentablemente
    pt já agora entretanto infelizmente
    it già ora ormai purtroppo
    nl nu al reeds inmiddels helaas
    sv,no,da nu nå redan allerede tyvärr dessverre desværre
    fi jo nyt valitettavasti
    pl już teraz właśnie niestety
    cs,sk už již nyní teraz teď bohužel bohužiaľ
    hr,sr,sl već sada upravo žal
    ru,bg уже теперь сейчас вече сега
    uk вже тепер зараз
    hu már most sajnos
    ro deja acum
    el πλέον ήδη τώρα
    tr artık şimdi zaten çoktan maalesef
    az artıq indi
    lt jau dabar
    lv jau tagad
    et juba nüüd
    is nú þegar
    sw sasa tayari
    kk енді қазір
    tl ngayon
    ar الآن بالفعل
    fa اکنون هم‌اکنون
    he כבר עכשיו
    ur اب
    vi bây_giờ hiện
    id,ms sudah telah kini sekarang
    zh 现在 現在 目前
    ja 現在 すでに 既に
    ko 이미 현재 이제
    th ตอนนี้
    hi अब
  `)})\\s`,
  "giu",
);

/** Behind a number, in its sentence: it was entered and is not the code. */
export const WRONG = new RegExp(
  `(?<!\\p{L})(?:${anyOf(`
    en (?:is|was)\\s(?:incorrect|wrong|not\\s(?:correct|right)) (?:did|does)(?:\\snot|n['’]t)\\smatch
    de (?:ist|war)\\s(?:aber\\s|leider\\s|jedoch\\s)?(?:falsch|inkorrekt|nicht\\s(?:richtig|korrekt)) stimmt\\s(?:aber\\s|leider\\s|jedoch\\s)?nicht
    fr (?:est|était)\\s(?:incorrect|erroné|faux) n['’](?:est|était)\\spas\\s(?:correct|bon|juste)
    es (?:es|era|fue)\\sincorrecto no\\s(?:es|era|fue)\\scorrecto
    pt (?:está|é|era|estava)\\s(?:incorrec?to|errado) não\\s(?:está|é|era|estava)\\scorrec?to
    it (?:è|era)\\s(?:errato|sbagliato) non\\s(?:è|era)\\scorretto
    nl (?:is|was)\\s(?:onjuist|fout|verkeerd|niet\\s(?:juist|correct)) klopt\\sniet
    sv (?:är|var)\\s(?:fel|felaktig|inte\\skorrekt) stämmer\\sinte
    no,da (?:er|var)\\s(?:feil|forkert|ikke\\s(?:riktig|rigtig|korrekt)) stemmer\\sikke
    fi (?:on|oli)\\s(?:väärä|virheellinen) ei\\sole\\soikea
    pl (?:jest|był)\\s(?:błędny|nieprawidłowy|niepoprawny)
    cs,sk (?:je|byl|bol)\\s(?:nesprávn|chybn)[ýy]
    hr,sr,sl je\\s(?:netočan|netačan|pogrešan|napačn[ae]|погрешан|нетачан)
    hu (?:hibás|helytelen)\\svolt nem\\shelyes
    ro (?:este|era|a\\sfost)\\s(?:incorect|greșit)
    ru,uk (?:был\\s|був\\s)?(?:неверн|неправильн|невірн)\\p{L}{1,3}
    bg (?:е|беше)\\s(?:грешен|неправилен)
    el (?:είναι|ήταν)\\s(?:λάθος|λανθασμένος|εσφαλμένος)
    tr (?:yanlış|hatalı)(?:tı|ydı|dır)?
    id,ms salah tidak\\s(?:sesuai|benar|betul)
    vi (?:là\\s)?(?:sai|không\\s(?:đúng|chính\\sxác))
    ar غير\\sصحيح خاطئ
    fa (?:نادرست|اشتباه)\\s(?:است|بود)
    he שגוי אינו\\sנכון
    hi (?:ग़लत|गलत|सही\\sनहीं)\\s(?:है|था)
  `)})(?!\\p{L})|(?:不正[确確]|有[误誤]|正しくありません|間違って|誤って|一致しません|올바르지\\s않|일치하지\\s않|잘못되|ไม่ถูกต้อง)(?!.{0,12}(?:場合|とき|時は|たら|ると|なら|的话|的話|时|면|경우))`,
  "iu",
);

const NAME_OF_CODE = "(?:\\p{L}{0,24}(?:code|kode|kod|koden)|code|pin|otp|código|codice|passcode|код|kodu)";
const REVOKING = anyOf(`
  en (?:blocked|revoked|cancel+ed|deactivated|disabled|invalidated|withdrawn)\\s(?:the|your|this|that)
  fr (?:bloqué|révoqué|annulé|désactivé|invalidé)\\s(?:le|votre|ce)
  es (?:bloqueado|revocado|anulado|cancelado|desactivado)\\s(?:el|su|tu|este)
  pt (?:bloqueámos|bloqueamos|anulámos|anulamos|cancelámos|cancelamos|revogámos|revogamos|desativámos|desativamos)\\s(?:o|seu|este)
  it (?:bloccato|revocato|annullato|disattivato)\\s(?:il|questo)
  sv,no,da (?:spärrat|återkallat|sperret|spærret|tilbakekalt)
  pl (?:zablokowaliśmy|unieważniliśmy|anulowaliśmy)
  ru,uk (?:заблокировали|отозвали|аннулировали|скасували|заблокували)
`);

/** Words for a code that is not right, before and behind its name. */
const WRONG_CODE = anyOf(`
  en (?:wrong|incorrect|invalid)
  de (?:falsche|ungültige|fehlerhafte)[nrs]?
  nl (?:verkeerde|foute|onjuiste)
  sv,no,da (?:fel|felaktig|feil|forkert)
  fi väärä[nä]?
  pl (?:błędn|nieprawidłow|niepoprawn)\\p{L}{1,3}
  cs,sk (?:nesprávn|chybn)\\p{L}{1,3}
  ru,uk,bg (?:неверн|неправильн|невірн|греш[её]?н)\\p{L}{1,3}
  tr (?:yanlış|hatalı)(?:\\sbir)?
`);
const CODE_WRONG = anyOf(`
  fr (?:incorrect|erroné)
  es,pt (?:incorrec?to|equivocado|errado|inválido)
  it (?:errato|sbagliato)
  ro (?:incorect|greșit)
  id,ms salah
  vi sai
`);

/** Before a number that was withdrawn or is not right: "we have blocked the opening code 482913", "entered the wrong code 482913". */
export const REVOKED = new RegExp(
  `(?<!\\p{L})(?:(?:${REVOKING}|${WRONG_CODE})\\s(?:[\\p{L}-]{2,16}\\s){0,2}${NAME_OF_CODE}|${NAME_OF_CODE}\\s(?:${CODE_WRONG}))(?:\\s(?:d['’]|d[eiao]\\s|del\\s|du\\s)?\\p{L}{3,16})?\\s["'«“„(]?$`,
  "iu",
);

/** A number that may be withdrawn is not: "if the code 482913 has been used". */
export const CONDITION = new RegExp(
  `(?<!\\p{L})(?:${anyOf(`
    en if when unless in\\scase
    de falls wenn sobald
    fr si lorsque quand
    es,pt si se(?!\\sh) cuando caso quando
    it,nl se quando als wanneer indien
    sv,no,da om när ifall hvis når
    pl,cs jeśli jeżeli gdy pokud když
    ru,uk если когда якщо коли
    tr eğer
    hu ha
    ro dacă
    fi jos
    el αν εάν
    ar إذا
    fa اگر
    he אם
    hi अगर यदि
    id,ms jika kalau apabila bila
    vi nếu
  `)})(?:\\s[\\p{L}'’-]+){0,6}\\s?$|(?:如果|若|假如|もし|만약)[^，。,、\\n]{0,12}$`,
  "iu",
);
