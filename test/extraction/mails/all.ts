// All tables of mails.
import { chinese } from "./chinese.ts";
import { dutch } from "./dutch.ts";
import { english } from "./english.ts";
import { french } from "./french.ts";
import { german } from "./german.ts";
import { grouped } from "./grouped.ts";
import { heldBackEurope } from "./held-back-europe.ts";
import { heldBackWorld } from "./held-back-world.ts";
import { italian } from "./italian.ts";
import { japanese } from "./japanese.ts";
import { korean } from "./korean.ts";
import { layouts } from "./layouts.ts";
import type { Mail } from "./mail.ts";
import { negatives } from "./negatives.ts";
import { polish } from "./polish.ts";
import { portuguese } from "./portuguese.ts";
import { russian } from "./russian.ts";
import { secondLook } from "./second-look.ts";
import { spanish } from "./spanish.ts";
import { thirdLook } from "./third-look.ts";
import { turkish } from "./turkish.ts";

export const mails: Mail[] = [
  ...[
    english,
    german,
    french,
    spanish,
    portuguese,
    italian,
    dutch,
    polish,
    turkish,
    russian,
    chinese,
    japanese,
    korean,
  ],
  ...[layouts, negatives, heldBackEurope, heldBackWorld, secondLook, thirdLook, grouped],
].flat();
