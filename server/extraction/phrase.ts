// The structure of a phrase that instructs an assistant.

/**
 * Phrases `slots[0]`, then `slots[1]` … in one sentence, each within `within` characters of the one before. A slot is a list of
 * beginnings of words, separated by `|`; one that ends with a space is a whole word.
 *
 * `strong`: written to a program alone. `weak`: written to people as well (forward this mail to …); it counts where it is not seen, or
 * beside another one. `beside`: orders nothing, and counts beside a weak one. `machine`: names a machine, which may be addressed, or the text itself. `through`: the only words that may stand before the last
 * slot, after the one before it. `about`: words after the phrase that begin what thing it is about. `unless`: what stands in the phrase, or follows
 * within 40 characters. `own`: words of the first person beside what was said, or as an ending of it: a person corrects himself. These
 * make it harmless.
 */
export type Phrase = {
  name: string;
  strength: "strong" | "weak" | "beside" | "machine";
  slots: string[];
  within?: number;
  through?: string;
  about?: string;
  unless?: string;
  own?: Own;
};
/** Words for "my" and "our", whole or (without a space at the end) by their beginnings: before and behind `things`, and their endings. */
export type Own = { things: string; before?: string; behind?: string; endings?: string };

export const strong = (name: string, ...slots: string[]): Phrase => ({ name, strength: "strong", slots });
export const weak = (name: string, ...slots: string[]): Phrase => ({ name, strength: "weak", slots });
export const beside = (name: string, ...slots: string[]): Phrase => ({ name, strength: "beside", slots });
