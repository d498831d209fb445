// Guesses the charset of text in a script without Latin letters, where no charset is named or the name cannot be right.

/** In Western words, letters above ASCII are single or in pairs. */
const RUN_MIN = 3;
const HIGH = 0x80;
const NO_BREAK_SPACE = 0xa0;
/** Octets of such runs by which a text is of another script. */
const RUNS_MIN = 6;
const JUDGED_BYTES = 2_000;

/** The characters that such text has most, and the share of its characters above ASCII that they usually are. */
type Script = { usual: Set<string>; share: number; charsets: string[] };

const script = (charsets: string[], share: number, usual: string): Script => ({
  charsets,
  share,
  usual: new Set(usual),
});

const SCRIPTS = [
  script(["windows-1251", "koi8-r"], 0.74, "оеаинтсрвлкмдпі"),
  script(["windows-1253"], 0.78, "αοιετσνηυρπκμς"),
  script(["windows-1255"], 0.8, "יוהלארתבשמםנד"),
  script(["windows-1256"], 0.85, "اليمونترةبدكعهسفقحلا"),
  script(["windows-874"], 0.7, "านรอกเงมยลวดทสต่้ัีิ"),
  script(
    ["shift_jis", "euc-jp"],
    0.65,
    "のにはをたがでてとしれさいなるすまこもかくりおあそらきっよんけだどうせみえちろつめご、。ンスルトーイラリクアドシレコタロマフジカメテグプ日本人年大一月上中事時分者様方会品送定お認号数量金額円税込単価請求書納期発行御見積株式部課長担当高橋田中山川村木佐藤鈴林井伊東京都府県市区町駅店料理注文受番名前住所電話商配達確更予約合計社員連絡用件内容",
  ),
  script(
    ["gb18030"],
    0.6,
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔款项请您快递订单号验证码谢邮箱账户登录密，。、：？！《》（）“”",
  ),
  script(
    ["big5"],
    0.6,
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運筆款項請您快遞訂單號驗證碼謝郵箱帳戶登錄密，。、：？！《》（）「」",
  ),
  script(
    ["euc-kr"],
    0.6,
    "이다는을가의에고하지를한은로기사도인있시어대자정서아해일리나라제그보수부여원전성들구스관주게과으문상동만신장비공면안내와니세중위국할조모까학요우경소식생계용방등유적때년오였되했된월마말오바습입드러체또선발교물실진치단무양불회행두트거합증번확메감님결택배송",
  ),
];

/** A charset fits if the usual characters are so much of what they should be. */
const FIT_MIN = 0.5;
const LOSSES_MAX = 1 / 16;
const LETTERS_MIN = 1 / 4;
/** Charsets of one octet for each character. */
const NARROW = /^(?:windows-|koi8-r$)/;

/** Letters with accents in the order of the alphabet, as people list them to try a program. */
const ACCENTS = /[áàäâã][éèëê][íìïî][óòöôõ][úùüû]/i;
/** So many letters of a text are hardly ever all different. */
const SEVERAL = 16;
const DIFFERENT_MAX = 0.85;

/** Whether letters are listed, not written in words. */
function isList(octets: Buffer): boolean {
  const high = octets.filter((octet) => octet >= HIGH && octet !== NO_BREAK_SPACE);
  return (
    ACCENTS.test(octets.toString("latin1")) ||
    (high.length >= SEVERAL && new Set(high).size > high.length * DIFFERENT_MAX)
  );
}

/** Octets above ASCII that stand in runs, if they are the most; 0 if not. */
function octetsInRuns(octets: Buffer): number {
  let [inRuns, others, run] = [0, 0, 0];
  for (let at = 0; at <= octets.length; at += 1) {
    const octet = octets[at] ?? 0;
    if (octet >= HIGH && octet !== NO_BREAK_SPACE) {
      // A line of one character is no word.
      if (octet !== octets[at - 1]) run += 1;
    } else if (run > 0) {
      if (run >= RUN_MIN) inRuns += run;
      else others += run;
      run = 0;
    }
  }
  return inRuns > others ? inRuns : 0;
}

/** How much of the text above ASCII the usual characters are, of what they are in a text of the script. */
function fitOf(octets: Buffer, charset: string, { charsets, usual, share }: Script): number {
  const isWide = !charsets.some((each) => NARROW.test(each));
  let [wide, all, common, lost] = [0, 0, 0, 0];
  for (const character of new TextDecoder(charset).decode(octets)) {
    if (character <= "\x7f") continue;
    wide += 1;
    if (usual.has(character)) common += 1;
    else if (character === "\ufffd") lost += 1;
    // Frames of tables, prices and numbers in circles.
    else if (isWide && !/\p{L}/u.test(character)) continue;
    all += 1;
  }
  return all < wide * LETTERS_MIN || lost > all * LOSSES_MAX ? 0 : common / all / share;
}

/**
 * The charset of words of a script without Latin letters; undefined if the octets are none.
 * @param runsMin octets of words that show it
 */
export function charsetOfScript(octets: Buffer, runsMin = RUNS_MIN): string | undefined {
  const first = octets.findIndex((octet) => octet >= HIGH);
  const judged = octets.subarray(Math.max(0, first), first + JUDGED_BYTES);
  if (first < 0 || octetsInRuns(judged) < runsMin) return;
  const fits = SCRIPTS.flatMap((each) =>
    each.charsets.map((charset) => ({ charset, fit: fitOf(judged, charset, each) })),
  );
  const best = fits.reduce((one, other) => (other.fit > one.fit ? other : one));
  const isListed = NARROW.test(best.charset) && isList(judged);
  return best.fit >= FIT_MIN && !isListed ? best.charset : undefined;
}
