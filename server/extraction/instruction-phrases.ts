// Phrases that give orders to an assistant, in English, and the list of all: data for phrase-search.ts and instructions.ts.
import { MACHINE_NAMES, OWN_TEXT } from "./addressed-words.ts";
import { WORLD } from "./instruction-phrases-world.ts";
import { beside, type Phrase, strong, weak } from "./phrase.ts";

const EARLIER = "previous|prior|above|earlier|preceding|foregoing|existing|original|initial|former";
/** A person corrects an earlier mail. */
const CORRECTED = ["my", "our", "the"]
  .flatMap((whose) => ["previous", "earlier", "last"].map((which) => `${whose} ${which}`))
  .flatMap((which) => ["email", "e mail", "mail ", "message ", "letter"].map((what) => `${which} ${what}`));
/** Instructions of a person. */
const OF_PEOPLE = [
  ...CORRECTED,
  ...["my", "our"].flatMap((whose) => EARLIER.split("|").map((which) => `${whose} ${which}`)),
].join("|");
/** What stands before the instructions of a model. Others are of goods, of care, of a trip. */
const OF_MODELS =
  "and|or|of|the|your|any|all|such|these|those|this|that|other|system|developer|operator|user|safety|security|hidden|secret|initial|" +
  "default|core|custom|internal|admin|given|conflicting|contrary|set|ethical|content|model|ai|llm|assistant|agent|prompt|programming|" +
  "processing|handling|text|context|message|messages|prompts|rules|guidelines|policies|chat|conversation|" +
  EARLIER;
const VERBS =
  "ignore |ignoring |disregard |forget |override |bypass |neglect |discard |do not follow|don t follow|stop following";
const NOT_FOR_PEOPLE =
  "engineer|developer|researcher|enthusiast|builder|founder|startup|compan|user|student|expert|leader|team|manager|professor|" +
  "director|editor|coach|principal|teacher|referee|course|professional|driven|first|curious|skeptic|newsletter|summit|training|workshop|" +
  "conference|community|subscriber";

const english: Phrase[] = [
  {
    name: "override",
    strength: "strong",
    slots: [VERBS, `${EARLIER}|all |your `, "instruction|directive|programming|system message|guardrail"],
    through: OF_MODELS,
    about: "for|about|regarding|concerning|on the|in the|in our|in my",
    unless: OF_PEOPLE,
  },
  weak("correction", VERBS, EARLIER, "instruction|directive|direction|order "),
  strong("override", VERBS, `${EARLIER}|your system|system`, "prompt|system prompt"),
  {
    name: "override",
    strength: "weak",
    slots: [
      VERBS,
      `${EARLIER}|your |everything`,
      "rule|guideline|polic|restriction|context|message|text|you were told|above",
    ],
    unless: OF_PEOPLE,
  },
  {
    name: "identity",
    strength: "strong",
    slots: [
      "you are an ai |you re an ai |since you are an ai |as you are an ai ",
      "assistant|agent|model|language|bot|system|tool|read|process|that |or llm",
    ],
    within: 14,
    unless: NOT_FOR_PEOPLE,
  },
  // The example of every guide to models.
  beside("topic", "you are a helpful assistant"),
  {
    name: "identity",
    strength: "strong",
    slots: [
      "you are a large language model|you are a language model|you are an llm|you are chatgpt|you are an autonomous agent|" +
        "you are an email agent|you are the assistant|you are an assistant|you are a chatbot|you are an automated assistant|you are my assistant|" +
        "you are now dan |you are now in developer mode|you are now an ai|you are now unrestricted|do anything now",
    ],
    unless: NOT_FOR_PEOPLE,
  },
  strong(
    "duty",
    "as the assistant you |as an assistant you |as an ai you |as an ai assistant you |as an ai agent you |as a language model you |as the ai you ",
    "must|should|shall|have to|need to|are required|will|are to|can ",
  ),
  {
    name: "address",
    strength: "strong",
    slots: [
      "note to ai |note to the ai |note to any ai |note to llm|note to all ai |note for ai |note for the ai |" +
        "note for llm|message to ai |message to the ai |message for the ai |message for ai |attention ai |" +
        "attention llm|dear ai |instructions for the ai |instructions for ai |" +
        "instructions to the ai |instructions for llm|important for ai |any ai reading|llm reading|llms reading|" +
        "note to language models|note to the language model|note to the model|note for the model|note for language models|" +
        "message to the language model|note to automated assistants|assistant reading this|assistants reading this|ai agents reading|agents reading this|ai assistants processing|ai systems processing|" +
        "ai processing this",
    ],
    unless: NOT_FOR_PEOPLE,
  },
  // Also said to people who assist.
  weak(
    "assistant",
    "note to assistant|note to the assistant|note for the assistant|note for assistants|message to the assistant|message for the assistant|" +
      "attention assistant|dear assistant|hey assistant|hello assistant|instructions for the assistant",
  ),
  weak("assistant", "as my assistant you ", "must|should|shall|have to|need to|are required|will|are to|can "),
  strong(
    "reveal",
    "reveal |print |show |output |repeat |disclose |display |reply with |send |leak ",
    "your system prompt|your full prompt|your initial prompt|your hidden prompt|your system message|your complete system prompt|" +
      "your entire system prompt|your full system prompt|your hidden system prompt|your own system prompt",
  ),
  weak(
    "reveal",
    "reveal |print |show |output |repeat |disclose |display |list ",
    "your tools|of your tools|list of tools|available tools|tools you|functions you|tool definitions",
  ),
  strong("reveal", "reveal |repeat |disclose |leak ", "your instructions|your guidelines"),
  weak("reveal", "system override"),
  beside("topic", "system prompt|system instruction|developer message|hidden instruction"),
  weak(
    "override",
    "your rule|your earlier rule|your previous rule|your instruction|your earlier instruction|your guideline|your restriction|your safety|" +
      "your limits|your guardrail|limits of your|rules of your",
    "not apply|no longer|suspended|void |lifted|disabled|are off|is off|revoked|do not bind",
  ),
  weak(
    "mode",
    "enter |switch to|activate |enable |go into|now in ",
    "debug mode|developer mode|maintenance mode|admin mode|unrestricted mode|god mode",
  ),
  weak(
    "approval",
    "the user |the owner |the account owner |your user |your owner ",
    "approved|authorised|authorized|consented|agreed|wants you",
  ),
  weak(
    "memory",
    "save |store |add |remember |memorize |memorise |write ",
    "your memory|your long term memory|your persistent memory|long term memory|persistent memory|permanently|for good|for all future|" +
      "future conversation|future mail|future message|from now on|standing rule|standing instruction|this rule|this preference",
  ),
  weak("decode", "decode |decrypt |decipher |undo |base64 ", "follow|execute|obey|carry out|act on|and do it|run it"),
  strong(
    "secrecy",
    "do not |don t |never |without ",
    "tell your user |telling your user |inform your user |informing your user |alert your user |tell your human |tell your operator |mention this to your user |notify your user |tell your principal ",
  ),
  weak(
    "secrecy",
    "do not |don t |never |without |must not ",
    "tell the user|telling the user|inform the user|informing the user|alert the user|alerting the user|notify the user|notifying the user|" +
      "ask the user|asking the user|let the user know|asking your user|ask your user|tell the owner|inform the owner|telling the owner|" +
      "ask the owner|asking the owner|informing the owner|tell the recipient",
  ),
  weak(
    "secrecy",
    "do not |don t |never |without |must not |no need to ",
    "mention |mentioning |reveal |show |report ",
    "to the user|to your user|to the owner|to the reader",
  ),
  weak(
    "secrecy",
    "so that your user|so your user|your user does not|your user sees nothing|your user won t|your human does not",
  ),
  weak("secrecy", "keep this|hide this|keep it|hide it|secret", "from the user|from your user|from the owner"),
  {
    name: "exfiltrate",
    strength: "weak",
    slots: [
      "forward |send |email |transmit |upload |post |bcc |copy |relay |resend |share ",
      "mail|email|message|conversation|thread|attachment|contents|invoice",
      "@|following address|this address|http|webhook",
    ],
    unless: "friend|colleague|someone|us |an email|an e mail|a mail|a message|by email|by mail|by e mail",
  },
  // The input of a call.
  weak("exfiltrate", "action input|arguments|parameters|tool input", "to |recipient|address|url", "@|http"),
  {
    name: "exfiltrate secrets",
    strength: "weak",
    slots: [
      "forward |send |mail |email |transmit |upload |post |bcc |copy |relay |resend |share ",
      "inbox|password|credential|api key|secret|token|code|contact",
      "@|following address|this address|http|webhook",
    ],
    unless: "friend|colleague|someone",
  },
  strong(
    "summary",
    "when summarizing this|when summarising this|when you summarize this|when you summarise this|when parsing this|when processing this|if you are summarizing|before summarizing|ai summary must",
  ),
  weak("summary", "llm |language model|ai assistant|ai agent|ai model", "summari", "must|should|has to|have to"),
  weak("answer", "output only|reply only with|respond only with|answer only with|respond with only|reply with only"),
  weak("summary", "in your summary|in the summary you|your summary must", "include|say|state|write|add |tell"),
  weak(
    "task",
    "your new task is|your new instructions|your real task|your actual task|your new objective|your new role is|your true task|your only task|new instructions for you ",
  ),
  weak(
    "obey",
    "you must comply|you must obey|obey the following|follow these instructions instead|execute the following instruction|execute these instruction|execute the following command|follow my instructions|comply with these instructions",
  ),
  weak(
    "tool",
    "use your tool|use the send tool|call the tool|use your email tool|use your browser|call your tool|invoke the tool|use the browser tool|use your send|call the send",
  ),
  weak(
    "duty",
    "the assistant must|the assistant should|assistants must|ai agents must|the ai must|ai assistant must|the agent must|llm must|the model must|agents must",
  ),
];

export const PHRASES: Phrase[] = [...english, ...WORLD, ...MACHINE_NAMES, OWN_TEXT];

/** Words of a vocabulary, of which a text of people has none: `<|im_start|>`, `<｜User｜>`, `<start_of_turn>`. */
export const TOKEN = /[<＜][|｜]\/?[\p{L}\p{N}_▁ .-]{2,40}[|｜][>＞]|<(?:start|end)_of_turn>|<\/?<sys>?>/u;

/** The end of a turn, before which none began, and the beginning of another. */
export const TURN_END =
  /<\|(?:im_end|end|eot_id|eot|call|return)\|>|<end_of_turn>|\[\/inst\]|<\/(?:s|user|human|tool_result|tool_response|function_results|untrusted)>/;
export const TURN_BEGIN =
  /<\|(?:im_start|start|start_header_id|system|assistant|user)\|>|<start_of_turn>|\[inst\]|<<sys>>|<(?:s|system|admin|assistant|developer)>/;

/**
 * What marks the turns, roles and calls of a chat with a model, also where people write about it: counts beside a phrase.
 * In lower case. `words`: one of them is in what matches.
 */
export const MARKS: { words: string[]; mark: RegExp }[] = [
  { words: ["|", "｜", "of_turn", "sys>"], mark: TOKEN },
  {
    words: ["inst]", "[tool", "[available", "[system_prompt"],
    mark: /\[\/?(?:inst|tool_calls|tool_results|available_tools|system_prompt)\]/,
  },
  {
    words: [
      "system",
      "admin",
      "assistant",
      "developer",
      "user",
      "tool",
      "function",
      "invoke",
      "prompt",
      "instruction",
      "human",
    ],
    mark: /<\/?(?:[a-z]{1,20}[:_-]){0,2}(?:system|admin|assistant|developer|user|human|tool|function|invoke|prompt|instruction)s?(?:[_-][a-z]{1,20}){0,3}(?: [^<>\n]{0,200})?>/,
  },
  { words: ['"role"'], mark: /"role"\s{0,4}:\s{0,4}"(?:system|developer|assistant|tool)"/ },
  {
    words: ['"arguments"', '"parameters"', '"args"', 'input"'],
    mark: /"(?:tool|tool_name|function|function_name|action|name)"\s{0,4}:\s{0,4}"[\w.-]{2,60}"\s{0,4},\s{0,4}"(?:arguments|parameters|args|input|tool_input|action_input)"\s{0,4}:/,
  },
  { words: ["action input"], mark: /^[ \t>*]{0,6}action input\s?:/m },
  { words: ["human"], mark: /^[ \t>*#]{0,6}human[*]{0,2}\s?:/m },
  { words: ["##"], mark: /^#{2,4} ?(?:system|instruction|assistant|new instruction)s?:?/m },
];

/** Lines that begin with a role. Those of an assistant are also in the copy of a chat. */
export const SYSTEM_LINE =
  /^[ \t>*#[<_-]{0,6}(?:system|developer)(?: (?:message|prompt|instruction|override|note))?[\]>*_]{0,4}\s?:/m;
export const ASSISTANT_LINE = /^[ \t>*#[<_-]{0,6}assistants?[\]>*_]{0,4}\s?:/gm;
