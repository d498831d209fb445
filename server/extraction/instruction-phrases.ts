// Phrases that give orders to an assistant, in English, and the list of all: data for instructions.ts.
import { WORLD } from "./instruction-phrases-world.ts";
import { type Phrase, strong, weak } from "./phrase.ts";

const EARLIER = "previous|prior|above|earlier|preceding|foregoing|existing|original|initial|former";
/** A person corrects an earlier mail. */
const CORRECTED = ["my", "our", "the"]
  .flatMap((whose) => ["previous", "earlier", "last"].map((which) => `${whose} ${which}`))
  .flatMap((which) => ["email", "e mail", "mail ", "message ", "letter"].map((what) => `${which} ${what}`))
  .join("|");
const VERBS =
  "ignore |ignoring |disregard |forget |override |bypass |neglect |discard |do not follow|don t follow|stop following";
const NOT_FOR_PEOPLE =
  "engineer|developer|researcher|enthusiast|builder|founder|startup|compan|user|student|expert|leader|team|manager|professor|" +
  "director|editor|coach|principal|teacher|referee|course|professional|driven|first|curious|skeptic|newsletter";

const english: Phrase[] = [
  {
    name: "override",
    strength: "strong",
    slots: [VERBS, `${EARLIER}|all |your `, "instruction|directive|programming|system message|guardrail"],
    unless: CORRECTED,
  },
  strong("override", VERBS, `${EARLIER}|your system|system`, "prompt|system prompt"),
  weak(
    "override",
    VERBS,
    `${EARLIER}|your |everything`,
    "rule|guideline|polic|restriction|context|message|text|you were told|above",
  ),
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
  {
    name: "identity",
    strength: "strong",
    slots: [
      "you are a helpful assistant|you are a large language model|you are a language model|you are an llm|you are chatgpt|you are an autonomous agent|" +
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
        "assistant reading this|assistants reading this|ai agents reading|agents reading this|ai assistants processing|ai systems processing|" +
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
    "your system prompt|your full prompt|your initial prompt|your hidden prompt|your system message",
  ),
  strong("reveal", "reveal |repeat |disclose |leak ", "your instructions|your guidelines"),
  weak("reveal", "system prompt|system override|system instruction|developer message|hidden instruction"),
  strong(
    "secrecy",
    "do not |don t |never |without ",
    "tell your user |telling your user |inform your user |informing your user |alert your user |tell your human |tell your operator |mention this to your user |notify your user |tell your principal ",
  ),
  weak(
    "secrecy",
    "do not |don t |never |without |must not ",
    "tell the user|telling the user|inform the user|informing the user|alert the user|alerting the user|notify the user|notifying the user|" +
      "mention this to the user|mention it to the user|reveal this to the user|show this to the user|ask the user|asking the user|let the user know|" +
      "tell the owner|inform the owner|telling the owner",
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
    unless: "friend|colleague|someone",
  },
  {
    name: "exfiltrate secrets",
    strength: "weak",
    slots: [
      "forward |send |email |transmit |upload |post |bcc |copy |relay |resend |share ",
      "inbox|password|credential|api key|secret|token|code|contact",
      "@|following address|this address|http|webhook",
    ],
    unless: "friend|colleague|someone",
  },
  strong(
    "summary",
    "when summarizing this|when summarising this|when you summarize this|when you summarise this|when parsing this|when processing this|if you are summarizing|before summarizing|ai summary must",
  ),
  weak("summary", "in your summary|in the summary you|your summary must", "include|say|state|write|add |tell"),
  weak(
    "task",
    "your new task is|your new instructions|your real task|your actual task|your new objective|your new role is|your true task|your only task|new instructions for you",
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
    "the assistant must|the assistant should|assistants must|ai agents must|the ai must|ai assistant must|the agent must|llm must|assistant please|the model must",
  ),
];

export const PHRASES: Phrase[] = [...english, ...WORLD];

/** What parts the turns of a chat for a model, or calls its tools. Looked for as they stand, in lower case. */
export const CHAT_MARKERS = [
  "<|im_start|>",
  "<|im_end|>",
  "<|system|>",
  "<|assistant|>",
  "<|endoftext|>",
  "<|eot_id|>",
  "<|start_header_id|>",
  "<start_of_turn>",
  "[inst]",
  "<<sys>>",
  "<system_prompt>",
  "</user>",
  "<tool_call>",
  "<tool_calls>",
  "<tool_use>",
  "<function_call>",
  "<function_calls>",
  "<invoke name=",
  "[tool_calls]",
];

/** The same as programmers write about it too: counts beside a phrase. `words`: one of them is in what matches. */
export const ROLE_MARKERS: { words: string[]; marker: RegExp }[] = [
  { words: ['"role"'], marker: /"role"\s{0,4}:\s{0,4}"(?:system|developer|assistant|tool)"/ },
  {
    words: ['"arguments"', '"parameters"', '"args"', 'input"'],
    marker:
      /"(?:tool|tool_name|function|function_name|action|name)"\s{0,4}:\s{0,4}"[\w.-]{2,60}"\s{0,4},\s{0,4}"(?:arguments|parameters|args|input|tool_input|action_input)"\s{0,4}:/,
  },
  {
    words: ["system", "developer", "assistant"],
    marker:
      /^[ \t>*#[<_-]{0,6}(?:system|developer|assistant)(?: (?:message|prompt|instruction|override|note))?[\]>*_]{0,4}\s?:/m,
  },
  { words: ["##"], marker: /^#{2,4} ?(?:system|instruction|assistant|new instruction)s?:?/m },
];
