// What announces a one-time code, and what announces another number, in the languages of the mails that bring codes.
//
// Written against text that `codes.ts` has normalised (NFKC, ASCII digits, straight apostrophes, `İ` as `I`). Every repetition
// is bounded, so that a search stays linear in the text.

/** Labels that are certain: "verification code", "Einmalpasswort", "验证码". */
const STRONG = [
  // English
  `(?:verification|security|log-?in|sign-?(?:in|up|on)|access|one[- ]time|single[- ]use|authentication|two-factor|2fa|mfa|otp`,
  `|guard|device|identity|activation|pairing|temporary|recovery|reset|unlock|registration|validation|approval|delivery`,
  `|pick-?up|collection|magic|email|account|confirm|secret|dynamic|[4-9]-digit)(?: log-?in| access| security| verification)?`,
  ` (?:code|passcode|pin)|(?:one[- ]time|single[- ]use) (?:passcode|password|pass)|verification (?:number|pin)|otp(?: code)?`,
  `|(?:log-?in|sign-?in|security|access|verification|authentication) token|[4-9][- ]digit (?:number|code|pin)`,
  // German
  `|(?:bestätigungs|verifizierungs|verifikations|sicherheits|anmelde|einlog-?|login-?|zugangs|zugriffs|aktivierungs|freigabe`,
  `|registrierungs|einmal|authentifizierungs|prüf|zustell|abhol|entsperr|freischalt|freischaltungs|identifikations|sms-?`,
  `|wiederherstellungs)-?(?:code|pin|passwort|kennwort|tan|zahl)|einmalig\\p{L}{1,2} (?:code|passwort|kennwort|zugangscode)`,
  `|(?:sicherheits|prüf|verifizierungs)nummer|(?:zahlen|ziffern)(?:folge|code)|[4-9]-?stellig\\p{L}{1,2} (?:code|zahl|pin|nummer)|(?:m|sms-?|push|photo|chip)?TAN(?:-code)?`,
  // French
  `|code (?:de |d')(?:vérification|sécurité|confirmation|connexion|validation|accès|activation|authentification|récupération`,
  `|retrait|livraison|déverrouillage)|code (?:à |a )?usage unique|code (?:temporaire|secret|unique|confidentiel|à [4-9] chiffres)`,
  `|mot de passe (?:à usage unique|temporaire|unique)`,
  // Spanish, Portuguese
  `|(?:código|codigo|clave|contraseña|pin|token|senha|palavra-passe) (?:de |del |da |do |para )?(?:el |la |a |o )?`,
  `(?:verificación|seguridad|acceso|confirmación|activación|autenticación|autentificación|inicio de sesión|recuperación`,
  `|validación|un solo uso|uso único|autorización|entrega|recogida|recuperar|iniciar|verificar|ingreso|únic[ao]|dinámica`,
  `|temporal|otp|verificação|segurança|acesso|confirmação|ativação|autenticação|autorização|login|entrar|recuperação`,
  `|validação|retirada|temporári[ao]|descartável|[4-9] dígitos)`,
  // Italian
  `|codice (?:di |d'|per )?(?:verifica|sicurezza|conferma|accesso|l'accesso|attivazione|autenticazione|login|temporaneo|otp`,
  `|monouso|usa e getta|autorizzazione|recupero|ritiro|consegna|sblocco|segreto)|password (?:monouso|temporanea|usa e getta)`,
  // Dutch
  `|(?:bevestigings|verificatie|beveiligings|inlog|toegangs|activatie|activerings|controle|veiligheids|aanmeld|authenticatie`,
  `|herstel|ophaal|afhaal|bezorg|sms-?|login)-?(?:code|pin)|eenmalige? (?:code|inlogcode|wachtwoord|toegangscode|pincode)|tijdelijke code`,
  // Polish
  `|(?:kod\\p{L}{0,3}|hasł\\p{L}{1,2}) (?:weryfikacyjn\\p{L}{1,3}|autoryzacyjn\\p{L}{1,3}|aktywacyjn\\p{L}{1,3}`,
  `|jednorazow\\p{L}{1,3}|potwierdzając\\p{L}{1,3}|uwierzytelniając\\p{L}{1,3}|rejestracyjn\\p{L}{1,3}|bezpieczeństwa`,
  `|(?:do )?logowania|dostępu|potwierdzenia|odbioru|sms|resetowania)|jednorazow\\p{L}{1,3} (?:kod|hasł)\\p{L}{0,3}`,
  // Turkish
  `|(?:doğrulama|onay|güvenlik|giriş|aktivasyon|erişim|etkinleştirme|kayıt|teslimat|teslim|sms|kurtarma|oturum açma|tek kullanımlık)`,
  `\\s(?:kod|şifre|parola|pin)\\p{L}{0,8}`,
  // Russian
  `|(?:код\\p{L}{0,3}|парол\\p{L}{1,2}) (?:для )?(?:подтверждения|входа|авторизации|регистрации|доступа|восстановления`,
  `|безопасности|активации|проверки|верификации|получения|смены)|(?:одноразов|проверочн|временн|секретн)\\p{L}{2,3} (?:код|парол|пин)\\p{L}{0,3}`,
  // Chinese
  `|验证码|驗證碼|校验码|校驗碼|动态码|动态密码|動態密碼|一次性(?:密码|密碼|代码|代碼|口令)|確認碼|确认码|安全码|安全碼|登录码|登入碼|激活码|啟用碼|认证码|認證碼`,
  `|取件码|取件碼|提货码|授权码|授權碼|识别码|識別碼|[4-9]位(?:数字|數字|数|數)?(?:码|碼|密码|密碼|数字|數字)`,
  // Japanese
  `|(?:認証|確認|検証|セキュリティ|ログイン|アクセス|本人確認|承認|照合|有効化|アクティベーション)(?:用)?(?:コード|番号|キー|パスコード)`,
  `|ワンタイム ?(?:パスワード|パスコード|コード|キー)|暗証番号|パスコード|[4-9]桁の?(?:数字|番号|コード)`,
  // Korean
  `|(?:인증|보안|확인|로그인|접속|액세스|본인확인|임시|일회용|1회용) ?(?:번호|코드|비밀번호|패스워드|암호)|인증키|[4-9]자리 ?(?:숫자|번호|코드)`,
].join("");

/** The bare noun: counts only nearby, and not in mails about purchases, offers and meetings. */
const WEAK = [
  // "código de pago" and similar ones are labels of other numbers.
  `(?:code|código|codigo|clave|codice)(?! (?:d[eaiou]|del|della|des) | d')|passcode|pin(?: ?code)?|(?:confirmation|auth(?:ori[sz]ation)?) code`,
  `|token|pincode|kod\\p{L}{0,7}|şifre\\p{L}{0,7}|код(?:а|у|ом)?|пин-?код\\p{L}{0,2}|парол[ья]|(?<=[的此该該下入个個]|[^\\p{Script=Han}])(?:代码|代碼|密码|密碼|口令)`,
  `|(?<![\\p{Script=Katakana}\\p{Script=Han}])コード|(?<!\\p{Script=Hangul})(?:코드|비밀번호)`,
  // Requests to type something in
  `|enter|type|type in|key in|input|eingeben|geben sie|gib|tippe|saisissez|saisir|entrez|tapez|introduzca|introduce|ingrese|ingresa|escribe|digita|digite`,
  `|insira|informe|introduza|inserisci|inserire|inserisca|voer|vul|typ|wpisz|przepisz|wprowadź|gir(?:in|iniz)|введите|укажите|(?:use|nutze|verwende|utilisez|usa|utiliza|utilizza|gebruik|użyj|используйте)(?= [\\d -]{4,12} )|输入|輸入|键入|入力|입력`,
].join("");

/** Labels of other numbers, directly before them: orders, phones, cards, coupons, places. */
const AGAINST = [
  // English
  `(?:promo(?:tional|tion)?|discount|coupon|voucher|gift(?: card)?|offer|referral|invite|zip|postal|post|area|country|sort|swift`,
  `|error|status|exit|response|reason|source|qr|bar|product|item|style|tax|cost|activity|colou?r|dress|branch|bank|routing|airport`,
  `|booking|reservation|tracking|order|reference|commodity|currency|project|class|course|event|ticket|rate|model|student|discount)`,
  ` (?:code|pin)s?|(?:order|invoice|receipt|ticket|case|booking|reservation|confirmation|tracking|reference|ref|account|customer`,
  `|client|member(?:ship)?|user|transaction|payment|card|phone|policy|serial|model|flight|routing|request|registration|document`,
  `|meeting|webinar|conference|job|issue|build|release|version|page|line|bus|room|seat|suite|unit|shipment|parcel|package|vat`,
  `|company|bill|contract|product|item|report|pr|po box|patient|student|licen[cs]e)(?: (?:id|no|nr|number|num|ref(?:erence)?))?`,
  `|number|ids?|ending(?: (?:in|with))?|ends (?:in|with)|call|phone|telephone|tel|fax|hotline|dial|ext|extension|whatsapp|copyright|pnr|iban`,
  `|january|february|march|april|june|july|august|september|october|november|december|ref|no|nr|#|ссылка`,
  // German, Dutch
  `|(?:gutschein|rabatt|aktions|promo|buchungs|reservierungs|empfehlungs|geschenk|vorteils|fehler|artikel|produkt|länder|bar`,
  `|qr-?|strich|korting|kortings|actie|cadeau|boekings|reserverings|post|land)-?codes?|(?:kunden|rechnungs|bestell|auftrags`,
  `|sendungs|vertrags|konto|telefon|ticket|vorgangs|mitglieds|steuer|personal|referenz|serien|haus|zimmer|paket|buchungs|klant`,
  `|factuur|order|rekening|telefoon|polis|kassen|beleg)-?(?:nummer|nr)|aktenzeichen|postleitzahl|plz|telefon|rufnummer`,
  `|zählerstand|ende(?:t|nd) auf|endziffern?|verwendungszweck|betrag|bestellung|rechnung|paket|zending|eindig(?:t|end) op|kvk|bel`,
  // French
  `|code (?:promo\\p{L}{0,8}|postal|avantage|(?:de )?réduction|cadeau|barre|(?:de )?remise|parrainage|client|erreur|article`,
  `|produit|de suivi|de réservation|d'erreur)|numéro(?: (?:de |d')?\\p{L}{2,14}){0,2}|n°|réf(?:érence)?|commande|facture|colis`,
  `|dossier|téléphone|tél|terminant par|finissant par|siren|siret|rcs|contrat`,
  // Spanish, Portuguese
  `|código (?:postal|promocional|promo|(?:de )?descuento|(?:de )?desconto|de (?:barras|reserva|seguimiento|producto|error|cliente`,
  `|regalo|rastreamento|rastreio|erro)|d[oe] (?:cliente|produto)|qr)|cupón|cupom|pedido|factura|fatura|número|nº|núm|referencia`,
  `|referência|expediente|localizador|reserva|terminad[ao] (?:en|em)|cuenta|teléfono|telefone|matrícula|habitación|cp|cep|cpf`,
  `|cnpj|nif|niss|nota fiscal|chave de acesso|prontuário|protocolo|encomenda`,
  // Italian
  `|codice (?:sconto|promo\\p{L}{0,8}|fiscale|cliente|prenotazione|postale|coupon|a barre|ordine|articolo|prodotto|errore`,
  `|spedizione|tracking|univoco|amico|regalo)|numero(?: \\p{L}{2,14})?|ordine|fattura|bolletta|pratica|telefono|cap|p\\.?iva|treno|utente|termina con`,
  // Polish
  `|kod\\p{L}{0,3} (?:rabatow|pocztow|promocyjn|kreskow|błędu|produktu|klienta|rezerwacji|kuponu|qr|zniżkow|polecając)\\p{L}{0,3}`,
  `|numer\\p{L}{0,2}(?: \\p{L}{2,14})?|faktur\\p{L}{0,2}|zamówieni\\p{L}{0,2}|paczk\\p{L}{0,2}|infolinia|nip|regon|krs|końcówk\\p{L}`,
  // Turkish
  `|(?:indirim|promosyon|kupon|posta|hata|ürün|takip|kampanya|hediye|alan|ülke|rezervasyon|davet|referans|bilet) kod\\p{L}{0,6}`,
  `|(?:sipariş|takip|müşteri|fatura|telefon|başvuru|referans|hesap|üye|kart|sipariş) (?:no|numara)\\p{L}{0,6}|numara\\p{L}{0,6}`,
  // Russian
  `|(?:промо-?|трек-?|штрих-?|qr-?)код\\p{L}{0,3}|код\\p{L}{0,3} (?:товара|ошибки|заказа|бронирования|города|купона|скидки|региона`,
  `|отслеживания)|(?:трек-?)?номер\\p{L}{0,2}|заказ\\p{L}{0,2}|заявлени\\p{L}|счет\\p{L}{0,2}|карт\\p{L}{1,2}|инн|кпп|огрн|фн|фд|фп`,
  `|телефон\\p{L}{0,2}|тел|отделени\\p{L}|чек|индекс|договор\\p{L}{0,2}|посылк\\p{L}|рейс|п?о?звоните`,
  // Chinese
  `|优惠码|優惠碼|折扣码|折扣碼|兑换码|兌換碼|邀请码|邀請碼|推荐码|[订訂][单單](?:编?号|編?號|编号)|运单号|快递单号|单号|單號|电话|電話|客服(?:热线|电话|專線|電話)?|热线|熱線|專線`,
  `|尾号|尾號|末四位|邮编|郵遞區號|統一編號|发票号码|發票號碼|隨機碼|随机码|编号|編號|账号|賬號|帳號|卡号|卡號|号码|號碼|备|備`,
  // Japanese
  `|(?:クーポン|割引|プロモーション|ギフト|招待|紹介|エラー|バー|QR|商品|店舗|郵便|銀行|支店|国|予約)コード`,
  `|(?:注文|受付|予約|問い?合わせ|送り状|伝票|追跡|会員|お客様|顧客|電話|郵便|口座|登録|管理|請求書|領収書|整理|便|部屋|シリアル|申込)番号|電話|お問い合わせ|〒`,
  // Korean
  `|(?:쿠폰|할인|프로모션|초대|추천|우편|오류|에러|상품|바|주문|접수|예약|운송장|송장|고객|회원|전화|계좌|카드|승인|등록|티켓|사업자등록) ?(?:코드|번호)`,
  `|문의|고객센터|전화`,
].join("");

const START = "(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{N}_])";
const END = "(?![\\p{Script=Latin}\\p{Script=Cyrillic}_])";
/** German and Dutch have compounds, so a certain label may end a longer word; CJK text has no spaces. */
export const STRONG_LABEL = new RegExp(`(?:${STRONG})${END}`, "giu");
export const WEAK_LABEL = new RegExp(`${START}(?:${WEAK})${END}`, "giu");
export const AGAINST_LABEL = new RegExp(`${START}(?:${AGAINST})${END}`, "giu");

/** Words after a number that make it an amount, a duration, a date or part of an address. */
export const UNIT_AFTER = new RegExp(
  [
    `^(?:[%‰°$€£¥₽₺₩]|\\s?(?:min(?:ute|uten|utes|utos|uti|uut)?|mins|hours?|days?|sec(?:onds?)?|weeks?|months?|years?|stunden|tage|heures|jours`,
    `|horas|días|dias|ore|giorni|uur|dagen|godz|dni|saat|gün|dakika|часов|минут|дней|am|pm|usd|eur|euros?|gbp|chf|tl|try|zł|pln|руб\\p{L}{0,3}`,
    `|kwh|km|kg|g|gb|mb|px|dpi|people|others|readers|items|times|pts|points|punkte|puntos|ile biten|kr|sek|nok|dkk)(?!\\p{L})`,
    `|\\s?(?:年|年|月|日|円|元|원|년|월|일|号|號|番地|명|人|点|分|분|시|時|个|個|件|개)(?!証|证))`,
  ].join(""),
  "iu",
);

/** Mails in which a bare "code" is something else: offers, bookings, receipts, meetings. */
export const OTHER_CODES = new RegExp(
  [
    `\\d ?% ?(?:off|discount|taniej|rabatt|korting|de desc|de remise|indirim|sconto)|promo|discount|coupon|voucher|gift ?card|gutschein|rabatt`,
    `|checkout|receipt|booking|reservation|invoice|meeting id|webinar|conference id|besprechungs-id|cupón|cupom|descuento|desconto|sconto`,
    `|prenotazione|buchung|réservation|reserva|reçu|facture|factura|fatura|fattura|rechnung|korting|boeking|rabat|zniżk|faktur|rezerwacj|indirim|kupon`,
    `|rezervasyon|скидк|промокод|бронировани|квитанци|优惠|優惠|折扣|发票|發票|クーポン|予約|領収書|쿠폰|할인|예약|영수증`,
    `|code of conduct|pull request|error|exception`,
  ].join(""),
  "iu",
);
