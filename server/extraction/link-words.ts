// Words, in many languages, of links that verify, sign in, reset or accept, and of links that do something else.

/** The text of a link, or the sentence around it, asks for one of these actions. */
const ACTS = [
  // English
  `(?:verify|confirm|validate|activate|authenticate|re-?activate|authori[sz]e|approve)(?: (?:your|my|the|this|new|a|an|you|it's|that|now|sign|log|and|e|subscription|account|email|device|identity|\\p{L}{2,14})){0,5}`,
  `|(?:verification|confirmation|activation|sign-?in|log-?in|magic|reset|invitation|invite|one-time) (?:link|url|button)|(?:sign|log)[- ]?in(?: (?:to|now|with|here|instantly|securely)|$)`,
  `|(?:reset|choose|create|set|change|recover)(?: up)? (?:your |a |my |the |it |new )*password|password reset|(?:accept|view|see) (?:the |your |this )?(?:invit\\p{L}{1,6})|join (?:the |your )?(?:team|workspace|organi[sz]ation|group|project|server)|invited you|invites you|you(?:'ve| have) been invited`,
  `|(?:complete|finish) (?:your |the )?(?:registration|sign-?up|sign-?in|log-?in|subscription|account)|yes,? subscribe|log you in|sign you in`,
  // To unlock an account
  `|unlock(?:ing)? (?:(?:your|my|the|this|an?) )?(?:\\p{L}{2,12} )?(?:account|profile|log-?in|card)|(?:es|ihn|sie|(?:konto|zugang|profil|karte|account)\\p{L}{0,4})(?: \\p{L}{2,8}){0,2} (?:zu )?entsperren|entsperren sie (?:(?:ihr|ihren|das|den) )?(?:konto|zugang|profil|account)|débloqu\\p{L}{1,3} (?:(?:votre|mon|ton|le|ce) )?(?:compte|accès|profil|carte)|déverrouill\\p{L}{1,3} (?:(?:votre|mon|ton|le|ce) )?(?:compte|profil)|(?:le|la) (?:débloquer|déverrouiller)|desbloque\\p{L}{1,4} (?:(?:tu|su|mi|la|el|a|o|sua|tua|minha) )*(?:cuenta|conta|acceso|acesso|usuario|usuário|tarjeta|perfil)|desbloque(?:ar|á)-?l[ao]|sblocc\\p{L}{1,5} (?:(?:il|la|suo|tuo|sua|tua) |l')*(?:account|conto|accesso|profilo|utenza|carta)|sbloccarl[oa]`,
  `|(?:deblokkeer|ontgrendel)(?: \\p{L}{2,8})? (?:account|profiel|toegang)|(?:account|toegang|profiel) (?:\\p{L}{2,8} )?(?:te )?(?:deblokkeren|ontgrendelen)|odblok\\p{L}{1,6} (?:(?:swoje|twoje|moje|to) )?(?:konto|dostęp|kartę)|(?:konto|je) odblokować|kilidini (?:aç|kaldır)\\p{L}{0,6}|разблокир\\p{L}{1,6} (?:(?:ваш\\p{L}?|сво\\p{L}|мой) )?(?:аккаунт|доступ|счет|счёт|учетн|учётн|профил|карт)\\p{L}{0,4}|(?:его|ее|её|аккаунт|доступ) разблокировать|разблокировать(?: его| ее| её)|lås\\p{L}{0,2} (?:\\p{L}{2,14} ){0,2}(?:upp|opp|op)|(?:解锁|解鎖)(?:您的|你的)?(?:账|帐|帳)|解除(?:锁定|鎖定)|(?:ロック|凍結)を?解除|잠금(?:을)? ?해제`,
  // To go on with an application or a registration
  `|(?:continue|resume|finish|complete) (?:(?:with|your|my|the|this) ){0,2}(?:application|registration|sign-?up|onboarding|verification|account opening)|(?:antrag|registrierung|anmeldung|kontoeröffnung) (?:jetzt )?(?:fortsetzen|fortführen|abschließen)|(?:continuer|reprendre|poursuivre|finaliser|terminer) (?:(?:votre|ma|mon|la|l'|l’) ?)?(?:demande|inscription|candidature|ouverture)|(?:continuar|retomar|reanudar|completar|terminar) (?:(?:con|com|tu|su|mi|la|el|a|o|sua|minha) ){0,2}(?:solicitud|solicitação|registro|cadastro|inscripción|inscrição|candidatura)|(?:continua|riprendi|completa) (?:(?:la|tua|con|il) ){0,2}(?:richiesta|domanda|registrazione|iscrizione)`,
  `|(?:aanvraag|registratie|aanmelding) (?:voortzetten|hervatten|afronden)|(?:kontynuuj|dokończ|wznów) (?:swój |składanie )?(?:wniosek|wniosku|rejestrację)|(?:başvuru|kayıt)\\p{L}{0,4} (?:devam et|tamamla)\\p{L}{0,6}|продолж\\p{L}{1,4} (?:оформление|заявк\\p{L}|регистраци\\p{L})|(?:继续|繼續)(?:申请|申請|注册|註冊|验证|驗證)|(?:申請|申込|申し込み|お申し込み|登録)を?(?:続ける|再開)|(?:신청|가입|등록)(?:을)? ?계속`,
  // To sign a document
  `|(?:e-?)?sign(?: (?:the|your|this|a|an|our|attached|following|new|\\p{L}{3,14})){1,4} (?:documents?|contract|agreement|form|lease|nda|waiver|papers|paperwork|letter|deed|consent|offer|policy)|(?:review|read|view|check) (?:and|&|\\+) (?:e-?)?sign|unterschreib(?:en|e)?|unterzeichne[nr]?|signe[rz]|firm(?:ar|are|e)(?: (?:el|la|il|ahora|ora|aquí|qui))|firma (?:el|ahora|ora|aquí)|assin(?:ar|e) (?:o|a|agora|aqui)|onderteken(?:en)?|podpi(?:sz|sać)|imzala\\p{L}{0,6}|подпи(?:сать|шите)|签署|簽署|署名(?:する|して|のお願い|依頼)|서명하기`,
  // German
  `|bestätig\\p{L}{0,4}|verifizier\\p{L}{0,4}|aktivier\\p{L}{0,4}|freischalt\\p{L}{0,4}|(?:lädt|hat) (?:sie|dich) (?:\\p{L}{2,14} ){0,6}ein(?:geladen)?|einladung (?:an|zu|zur|öffnen)\\p{L}{0,6}|(?:neues |dein |ihr |das )?(?:passwort|kennwort) (?:zurück\\p{L}{2,9}|neu|ändern|festlegen|vergeben|wählen|erstellen)|(?:passwort|kennwort) (?:angefordert|vergessen)|zurücksetzen|jetzt (?:anmelden|einloggen)|anmeldelink|login-?link|registrierung abschließen`,
  // French
  `|confirm(?:er|ez|ation de votre (?:adresse|inscription))|vérifi(?:er|ez)|activ(?:er|ez|ation)|valid(?:er|ez)|réinitialis\\p{L}{2,6}|(?:me|vous|se) connecter|connectez-vous|lien de (?:connexion|confirmation|vérification)|accepter l'invitation|vous (?:a invité|invite)|rejoindre l'\\p{L}+|rejoindre le groupe|nouveau mot de passe|(?:finaliser|terminer|compléter) (?:votre|mon|l')\\s?inscription`,
  // Spanish, Portuguese
  `|confirm[ae]\\p{L}{0,3}|verific(?:ar?|a|ue|ación|ação)|valid(?:ar|a|e)|activ(?:ar|a|ación|e)|ativ(?:ar|e|ação)|(?:restable(?:cer?|zca|cimiento)|redefin(?:ir|a|ição)|recuperar?|recupera|cambiar|crear|criar|alterar)(?: de)?(?: tu| su| sua| a| la| una| uma| nueva| nova)* (?:contraseña|senha|palavra-passe)`,
  `|iniciar sesión|inicia sesión|(?:link|enlace) de (?:acceso|acesso|inicio de sesión|login)|entrar (?:na|en|no|agora|ahora)|(?:aceptar|aceitar?) (?:la |o )?(?:invitación|convite)|te (?:ha invitado|invita|invitó)|convidou você|complet(?:ar?|e) (?:el|tu|su|o|seu) (?:registro|cadastro)|(?:finalizar|concluir) (?:el|o|tu|seu) (?:registro|cadastro)|únete|unirme|unirse al equipo|nova senha|senha nova|nueva contraseña|contraseña nueva`,
  // Italian
  `|conferma\\p{L}{0,2}|verifica(?:re)? (?:il|la|l'|tua|indirizzo|email|account)\\p{L}{0,10}|attiva(?:re|zione)?|(?:reimpost|reset|ripristin|recuper)\\p{L}{1,7}(?: la| tua| della)* password|accedi (?:ora|subito|a)|accetta (?:l')?invito|ti ha invitato|nuova password|password nuova|completa la registrazione`,
  // Dutch
  `|bevestig(?:en|ing|t)?|verifi[ëe]\\p{L}{1,4}|activ(?:eer|eren)|wachtwoord (?:opnieuw|herstellen|resetten|wijzigen|instellen)|nieuw wachtwoord|log (?:nu |hier |direct )?in|inloggen|inloglink|uitnodiging (?:accepteren|aannemen|bekijken)|accepteer|uitgenodigd|(?:registratie|aanmelding|inschrijving) (?:voltooien|afronden)`,
  // Polish
  `|potwierd\\p{L}{1,6}|zweryfikuj|aktyw(?:uj|ować|acj)\\p{L}{0,3}|(?:zmi|ustaw|reset|odzyska)\\p{L}{1,6}(?: nowe| swoje)? hasł\\p{L}|zaloguj(?: się)?|(?:przyjmij|zaakceptuj|akceptuj) zaproszenie|dokończ\\p{L}{0,3} rejestrac\\p{L}{1,3}|dołącz|zaprasza cię|zaprosił\\p{L}? cię`,
  // Turkish
  `|doğrula\\p{L}{0,6}|onayla\\p{L}{0,6}|etkinleştir\\p{L}{0,6}|aktive et\\p{L}{0,6}|(?:şifre|parola)\\p{L}{0,6} (?:sıfırla|yenile|belirle|değiştir|oluştur)\\p{L}{0,6}|giriş yap\\p{L}{0,6}|davet\\p{L}{0,3} kabul et|daveti kabul|(?:kaydı|üyeliği)\\p{L}{0,5} tamamla\\p{L}{0,6}|davet etti`,
  // Russian
  `|подтверд\\p{L}{1,6}|подтвержден\\p{L}{1,2}|активир\\p{L}{1,6}|активаци\\p{L}|(?:сброс|восстанов|смен|задать|задайте|измен|создать)\\p{L}{0,6}(?: новый| ваш)? парол\\p{L}{1,2}|войти|вход в|завершени\\p{L} регистрации|завершить регистрацию|принять приглашение|присоединиться|приглаша\\p{L}{2,4} вас|пригласил\\p{L}? вас`,
  // Chinese, Japanese, Korean
  `|验证|驗證|激活|启用|啟用|确认(?:邮箱|电子邮件|注册|订阅|您的|登录)|確認(?:信箱|電子郵件|註冊|您的)|重置密码|重設密碼|重置密碼|设置新密码|設定新密碼|找回密码|立即登录|立即登入|登录链接|登入連結|接受邀请|接受邀請|加入团队|加入團隊|完成注册|完成註冊`,
  `|認証|本登録|確認(?:する|を完了|してください|はこちら)|アドレスの?確認|有効化|再設定|パスワードを?(?:リセット|変更)|ログイン(?:する|できます|はこちら|用)|(?:変更|登録|設定|手続き|購読)を?完了|変更の確認|招待を?(?:承認|受け|承諾)|参加する|登録を?完了`,
  `|인증(?:하기|을|해|완료|링크)|이메일 인증|확인하기|활성화|비밀번호(?:를)? ?(?:재설정|변경|초기화)|로그인(?:하기|됩니다|할 수|하려면|링크| 링크)|초대 ?(?:수락|를 수락|에 응)|가입(?:을)? ?완료`,
].join("");
export const ACT = new RegExp(
  `(?<![\\p{Script=Latin}\\p{Script=Cyrillic}])(?:${ACTS})(?![\\p{Script=Latin}\\p{Script=Cyrillic}])|비밀번호를 재설정|(?:验证|驗證|認証|再設定|激活)`,
  "iu",
);

/** English verbs also occur as nouns ("How we verify builds"): a link's own text must start with the verb. */
export const NOT_AN_ORDER =
  /^(?:how|why|what|when|where|who|learn|read|more|about|see|guide|tips|wie|warum|comment|pourquoi|cómo|como|perché|hoe|jak|как|nasıl)\b|\?$/iu;

/** The text of a link, or the sentence before it, is about something else. */
export const OTHER_ACT = new RegExp(
  [
    `unsubscri|opt[- ]?out|preference|manage|notification|settings|view (?:in|this)|view online|the following event|privacy|terms|help|support|contact|cancel|report|wasn't you|weren't you|not you|didn't|did not|don't|decline|download|track|learn more|read more|about us|\\bfaq\\b|meeting|view (?:order|receipt|invoice)|(?<!\\p{L})review(?! (?:(?:and|&|\\+) (?:e-?)?sign|(?:the |your )?(?:document|contract|agreement)))|survey|secure your account|wasn't me|no,|legal|cookie|sign in to see`,
    `|abmeld|abbestell|datenschutz|impressum|agb|hilfe|kontakt|einstellung|im browser|nicht du|nicht sie|waren sie das nicht|ablehnen|verfolgen|stornier|widerruf`,
    `|désinscri|désabonn|mentions|confidentialité|conditions|aide\\b|n'est pas vous|n'étiez pas|refuser|navigateur|suivre mon|annuler`,
    `|darse de baja|cancelar|anular|ayuda|privacidad|condiciones|soporte|rechazar|preferencias|no fuiste|no has sido|descadastr|ajuda|privacidade|termos|recusar|não foi você|navegador|rastrear`,
    `|disiscriv|annulla|informativa|aiuto|assistenza|condizioni|rifiuta|non sei stato|afmelden|uitschrijven|voorwaarden|privacybeleid|weigeren|annuleren|niet jij`,
    `|wypisz|rezygn|regulamin|pomoc\\b|prywatno|odrzuć|anuluj|abonelikten|gizlilik|yardım|iptal|reddet|koşul|отпис|помощь|поддержк|конфиденциальност|отклонить|отменить|услови`,
    `|退订|退訂|取消|隐私|隱私|帮助|幫助|客服|首页|首頁|拒绝|拒絕|配信停止|退会|(?<!(?:ロック|凍結)を?)解除(?!锁定|鎖定)|プライバシー|お問い合わせ|ご質問|ヘルプ|キャンセル|수신거부|약관|개인정보|도움말|고객센터|취소|거절`,
  ].join(""),
  "iu",
);

/** Generic link texts: the sentence around the link decides. */
export const POINTER =
  /^(?:(?:please )?(?:click|tap|press)? ?(?:here|this link|the link|below|this)|link|go|open|continue|next|get started|start|yes|ok|hier(?: klicken)?|klick(?:en sie)? hier|weiter|los geht's|ici|cliquez ici|continuer|aquí|haz clic aquí|continuar|aqui|clique aqui|qui|clicca qui|continua|klik hier|verder|tutaj|kliknij(?: tutaj)?|dalej|buraya(?: tıkla\p{L}{0,4})?|devam|tıkla\p{L}{0,4}|здесь|сюда|нажмите|перейти|продолжить|点击这里|点击此处|此处|這裡|點此|点击|继续|こちら|ここをクリック|次へ|여기|클릭|계속)[\s.!:»›→>]*$/iu;

/** Words in a URL's path or query names, in letters without marks. */
export const URL_ACT =
  /(?:^|[^a-z])(?:verif(?:y|ied|ication|icar|ica|icacion|icacao|icatie|iera?|ieer|ier)?|confirm(?:ation|ar|er|a)?|activat(?:e|ion)|activa(?:r|cion)?|validat(?:e|ion)|valid(?:er|ar)|magic(?:-?link)?|sign-?in|log-?in|signup|register|auth|passwordless|reset|recover|forgot|invit(?:e|ation|ations|es)?|accept|bestatig(?:en?|ung)|aktivier(?:en?|ung)|freischalt(?:en|ung)|zurue?cksetzen|activer(?:en)?|activeer|bevestig(?:en)?|reinitialis(?:er|ation)|restablecer|redefinir|reimposta|attivazione|convalida|aktyw(?:acja|uj)|potwierdz|weryfik(?:acja|uj)|aktivasyon|onay(?:la)?|dogrula(?:ma)?|etkinlestir(?:me)?|sifirla|conferma|attiva|confirmar(?:-email)?|ativa(?:r|cao)|checkword|confirmemail|callback|optin|double-?opt-?in|podtverdit|aktivirovat)(?![a-z])|(?<!\p{L})(?:подтвердить|активировать)(?!\p{L})/iu;

export const URL_OTHER =
  /(?:^|[^a-z])(?:unsub(?:scribe)?|opt-?out|privacy|terms|tos|legal|impressum|datenschutz|help|support|faq|contact|view-?in-?browser|webview|invoices?|receipts?|abmelden|afmelden|desinscription|baja|descadastrar|disiscriviti|wypisz|abonelikten-cik|desuscribir|report|pixel|open\.gif|checkin|pull|issues|jobs|careers|blog|download)(?![a-z])|\.(?:png|jpe?g|gif|webp|svg|ico|css|pdf|ics)(?:$|\?)/i;

/** The last part of the path of what stands beside any link: no article is called so. */
export const URL_BESIDE =
  /\/(?:about|imprint|settings|preferences|notifications|decline|reject|stop|cancel|policy|cookies|profile|home|logout|hilfe|kontakt|agb|ueber-uns|einstellungen|ablehnen|aide|ayuda|aiuto|ajuda)(?:\.html?)?\/?$/i;

/** The same, unless the path ends in what it asks for: `/orders/5512/address/confirm`. */
export const URL_PLACE = /(?:^|[^a-z])(?:preferences?|track(?:ing)?|orders?|settings|notifications)(?![a-z])/i;
export const URL_ASKS = /\/(?:confirm|verify|validate|activate|approve|accept|sign)(?:[_-][a-z]+)?\/?$/i;

/** Domains whose links never verify: social networks and app stores, by registrable domain. */
export const OTHER_SITES = new Set(
  `facebook.com fb.com twitter.com x.com instagram.com linkedin.com youtube.com youtu.be tiktok.com pinterest.com reddit.com threads.net
  bsky.app mastodon.social t.me telegram.me wa.me whatsapp.com vk.com ok.ru weibo.com line.me apps.apple.com itunes.apple.com
  play.google.com maps.google.com goo.gl appgallery.huawei.com`.split(/\s+/),
);

/** Joining needs an invitation nearby. */
export const JOIN =
  /^(?:join|rejoindre|beitreten|(?:jetzt )?(?:teilnehmen|mitmachen)|unirse|unirme|únete|participar|partecipa|unisciti|deelnemen|doe mee|dołącz|katıl|присоединиться|вступить|加入|参加|參加|참여|참가)|(?:beitreten|参加|参加する|參加|katıl|참여하기|참가하기|öffnen|collaborate)$/iu;
export const INVITES =
  /invit|einladung|einladen|eingeladen|lädt|uitgenod|uitnod|zapro[sś]|zaprasza|davet|приглаш|приглас|convite|convid|邀请|邀請|招待|초대/iu;

/** What a link in a mail about passwords sets. */
export const PASSWORD =
  /password|passwort|kennwort|mot de passe|contraseña|senha|palavra-passe|wachtwoord|hasł|şifre|parola|парол|密码|密碼|パスワード|비밀번호/iu;

/** "Yes, send me the letter" in a double opt-in. */
export const CONSENT = /^(?:yes|ja|oui|sí|sim|sì|tak|evet|да|はい|是的|是|네|예)[,、，!] ?\p{L}{2,}/iu;

/** The following text is for readers who did not request the mail. */
export const DENIAL =
  /wasn't (?:you|me)|was not you|weren't you|isn't you|not you|(?:did not|didn't|haven't|not) (?:request|make|recogni|do|ask|sign|initiat|authori)|(?:nicht (?:du|sie|angefordert|selbst)|du nicht|sie (?:das )?nicht)|n'est pas vous|n'étiez pas|n'êtes pas|pas à l'origine|n'avez pas|no fuiste|no has sido|no (?:lo )?(?:has )?solicit|no reconoc|não foi você|não (?:fez|solicit|reconhec)|non sei stato|non hai|se no,|niet jij|niet (?:zelf )?aangevraagd|was u dit niet|to nie (?:ty|pan)|nie (?:ty|prosił)|siz değilseniz|siz yapmadıysanız|не вы\b|не запрашивали|非本人|不是您|不是你|心当たり|본인이 아|요청하지 않/iu;

/** A request to follow a link; the subject says why. */
export const FOLLOW =
  /(?:click|follow|open|tap|visit|use|press)\b[^.!?\n]{0,30}(?:link|url|button|address)|(?:link|schaltfläche|adresse)\b[^.!?\n]{0,20}(?:klick|öffn)|klick[^.!?\n]{0,20}(?:link|knop|schaltfläche)|cliqu[^.!?\n]{0,20}(?:lien|bouton)|(?:sigue|siga|abre|abra|pulsa|haz clic|clique|acesse|apri|clicca|segui)[^.!?\n]{0,20}(?:enlace|link|botón|botão|pulsante)|(?:kliknij|otwórz)[^.!?\n]{0,20}(?:link|przycisk)|(?:bağlantı|buton)[^.!?\n]{0,20}tıkla|(?:по|на) (?:ссылк|кнопк)|(?:点击|打开|點擊|點選|開啟)[^。\n]{0,12}(?:链接|連結|网址|網址|按钮|按鈕)|(?:リンク|URL|ボタン)[^。\n]{0,8}(?:クリック|アクセス|開|押)|(?:링크|버튼|주소)[^.\n]{0,8}(?:클릭|눌러|접속)/iu;

/** Asks to go on with what was begun, which the text around it names. */
export const GOES_ON =
  /(?:pick(?:ing)? up|continue|resume|carry on) (?:right |from )?where you (?:left|stopped)|(?:weiter|fort)(?:machen|fahren|setzen)?,? wo (?:sie|du)|dort,? wo (?:sie|du) (?:aufgehört|unterbrochen)|(?:reprenez|reprendre|reprends|poursuivez|poursuivre|continuez)(?:-l[ae])? (?:là )?où (?:vous|tu)|(?:reprenez|poursuivez|terminez|finalisez)-l[ae]|(?:continúa|continúe|retoma|retome|reanuda|sigue|siga)(?:l[ao])? (?:desde )?donde l[ao]|(?:continue|retome|continua|retoma)(?:-[ao])? (?:de onde|do ponto)|(?:riprendi(?:l[ao])?|riprenda|continua) da dove|(?:ga verder|verder) waar (?:je|u)|(?:kontynuuj|wróć|dokończ) (?:od|w) miejsc[ua],? w którym|kaldığınız yerden|с того места,? где|上次(?:中断|离开|離開)的(?:地方|位置|步骤)|(?:中断|途中)(?:した(?:ところ|箇所))?から(?:再開|続)|중단(?:한|된) (?:곳|부분|단계)(?:에서|부터)/iu;
/** What is begun and makes an account, wherever the mail names it. */
export const REGISTRATION =
  /(?<!\p{L})(?:your (?:\p{L}{2,14} ){0,2}(?:registration|sign-?up|enrol?lment|onboarding)|registrierung|anmeldung|inscription|inscripción|inscrição|cadastro|iscrizione|registratie|aanmelding|inschrijving|rejestracj[aięą]|регистраци[яию])(?!\p{L})|注册|註冊|登録|가입/iu;
/** What is begun and sent later, in a subject. In a text, "claim", "request" and the others are of many other things. */
export const BEGUN =
  /(?<!\p{L})(?:(?:your|an?|the|our|this) (?:\p{L}{2,14} ){0,2}(?:application|claim|request|form)|antrag|bewerbung|formular|demande|candidature|dossier|solicitud|formulario|registro|solicitação|formulário|domanda|richiesta|candidatura|aanvraag|wniosek|wniosku|formularz|başvuru(?:nuz|nuza|nuzu)?|заявк[аиуе]|анкет[аыуе])(?!\p{L})|申请|申請|申込|신청/iu;

/** Other things that are confirmed, activated and joined: purchases, appointments, offers. */
export const COMMERCE =
  /\b(?:order|appointment|booking|reservation|webinar|offer|discount|coupon|deal|cart|basket|payment|delivery|attendance|rsvp|bestellung|termin|buchung|lieferung|angebot|gutschein|commande|panier|rendez-vous|réservation|offre|livraison|pedido|cita|reserva|oferta|cupón|cupom|entrega|compra|ordine|petition|petición|petição|petizione|petitie|petisi|appuntamento|prenotazione|offerta|carrello|bestelling|afspraak|boeking|aanbieding)\b|zamówieni|wizyt|rezerwacj|ofert[aęy]|sipariş|randevu|rezervasyon|teklif|заказ|записи на|бронирован|订单|訂單|预约|預約|注文|予約|주문|예약/iu;

/** An address, not what is sent there. */
export const ADDRESS_OF_ORDER =
  /\b(?:delivery|shipping|order) address(?:es)?|adresse (?:de (?:la )?(?:livraison|commande))|(?:direcci[oó]n|endereço|indirizzo) d[ei](?: la| l)? ?(?:entrega|env[ií]o|pedido|consegna|ordine)|(?:注文|订单|訂單)(?:の)?(?:住所|地址|お届け先)/giu;

/** What opens a document that a mail asks to sign. */
export const DOCUMENT =
  /(?:document|contract|agreement|dokument|vertrag|contrat|documento|contrato|contratto|contract|umow|sözleşme|belge|документ|договор|合同|文件|契約|文書|書類|계약|문서)/iu;
export const SIGNS =
  /\bsign(?:ature)? (?:request|the|your|this|a |an |it\b|here|now)|(?:requests?|requires?|needs?|awaits?|for) your signature|signature requested|please sign\b|unterschreib|unterzeichn|zur (?:unterschrift|unterzeichnung|signatur)|à signer|(?:veuillez|de|faut|pouvez) signer|\bfirm(?:ar|e|a el|a la|are)\b|\bassin(?:ar|e)\b|onderteken|podpis(?:z|ać|ania)|imzala|подпи(?:сать|шите|сания)|签署|簽署|署名|서명/iu;

/** A button that says only that something is signed. */
export const SIGN_BUTTON =
  /^(?:please )?(?:e-?)?sign(?: it)?(?: (?:now|here|online|electronically))?[\s!»›→]*$|^(?:\p{L}{2,14} (?:e|y) )?(?:firm(?:are?|[ae])|assin(?:ar|[ae]))(?: (?:ora|ahora|agora|online))?[\s!»›→]*$/iu;

/** The last part of the path of a page on which a device is connected. */
export const URL_OF_DEVICE = /\/(?:device|activate|link|pair|connect|tv)(?:-?login)?\/?$/i;

/** A bare "Log in": every shop has one, so the mail must be about signing in. */
export const LOGIN_BUTTON =
  /^(?:log|sign)[- ]?in(?: now)?$|^(?:anmelden|einloggen|login|connexion|se connecter|iniciar sesión|entrar|acessar|accedi|inloggen|zaloguj(?: się)?|giriş(?: yap)?|войти|登录|登入|ログイン|로그인)$/iu;
