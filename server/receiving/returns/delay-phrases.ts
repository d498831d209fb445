// How servers say, in a bounce for people, that a mail waits, that they gave up, or that it was not delivered.

/** Evidence that the server goes on trying: subjects of warnings in the languages that servers write. */
export const WARNING =
  /\b(?:warning|delay(?:ed)?|deferred|still being retried)\b|verz(?:ö|oe)ger|retras|retard|diff[eé]r[eé]e?s?(?!n)|diferid|demorad|ritard|atras|vertraag|задерж|отлож|затрим|遅延|遅れ|延迟|延遲|지연|gecik|op[óo][źz]ni|försen|forsink|viiväst|zpožd|zdrž|késés|întârzi|καθυστ|تأخير/i;
/** Sentences that say so where the subject does not: "not yet delivered", also as "could not yet be delivered". */
export const NOT_YET =
  /\bnot yet (?:be(?:en)? )?delivered\b|\bnot (?:be(?:en)? )?delivered yet\b|\bnoch nicht (?:zugestellt|ausgeliefert|übermittelt)|\bpas encore (?:pu )?(?:été|être) (?:remis|livré|distribué)|\b(?:aún|todavía) no (?:se )?(?:ha )?(?:podido )?(?:sido )?entrega|\bainda não (?:foi|pôde ser) entregue|\bnon è (?:stato ancora|ancora stato) (?:consegnato|recapitato)|\bnog niet (?:is )?(?:bezorgd|afgeleverd)|\bnie zosta(?:ła|ło) jeszcze dostarczon|(?:ещё|еще|пока) не (?:было |была )?доставлен|\b(?:zatím|dosud) nebyla doručena|ännu inte (?:har )?levererats|\bhenüz teslim|(?:尚未|还未|還未|暂未)(?:被)?(?:送达|送達|投递|投遞)|まだ(?:配信|配達|送信)され|아직 (?:전달|배달|전송)되지/i;
/** Evidence that the server gave up. Sentences of STILL_TRYING may contain it ("will give up"). */
export const GIVEN_UP =
  /not going to try|(?:give|gave|given|giving) up|too long|expired|permanent|could not be delivered|retry time(?:out)? exceeded/i;
/** Sentences of warnings, which also say what happens later: "will give up". */
export const STILL_TRYING =
  /\bwill (?:be retried|keep trying|continue (?:trying|to try)|be tried again|try again)\b|attempts will continue|warning only|not need to resend|no action is required/i;

/** A gateway keeps the mail until its recipient or another person decides: nothing has failed. */
export const HELD =
  /\bon hold\b|\b(?:is|was|were|being|been) (?:held|quarantined)\b|\bheld (?:for|in|until)\b|\b(?:is|be) (?:delivered|released) (?:when|once|as soon as|if)\b|\bawait(?:s|ing) (?:release|approval|moderation)\b|zurückgehalten|in quarantäne|(?:en|mis en) quarantaine|en cuarentena|in quarantena|em quarentena|карантин/i;

/** Delivery: with an address at its end, a line says that a mail was not delivered, and not why. */
export const DELIVERY =
  /deliver|zustell|zugestellt|remis[e ]|distribu|livré|acheminé|entreg|consegn|recapit|bezorg|afgelever|dostarcz|доставл|доставк|levere|doruč|dostav|toimit|kézbesít|livrat|livra |παραδο|teslim|ulaştır|تسليم|توصيل|תימסר|נמסר|למסור|वितरित|terkirim|dikirim|gửi đến|ส่งถึง|配信|配達|送信|投递|投遞|送达|送達|전달|전송|배달/i;
