// The command `completion`: prints a shell's completion script, made from the commands themselves.
import { Argument, type Command } from "commander";
import type { Shell } from "./session.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Name = (typeof SHELLS)[number];

/** `messages list` → its options, and the subcommands of each command; "" is the command itself. */
function wordsOf(command: Command, path: string[] = [], inherited: string[] = []): Map<string, string[]> {
  const names = command.commands.map((sub) => sub.name());
  const options = command.options.flatMap(({ long }) => long ?? []);
  const words = new Map([[path.join(" "), [...names, ...options, ...inherited]]]);
  for (const sub of command.commands) {
    const inner = wordsOf(sub, [...path, sub.name()], [...options, ...inherited]);
    for (const [key, value] of inner) words.set(key, value);
  }
  return words;
}

/** A function that sets `words` for the words typed so far, in a syntax that bash and zsh share. */
function casesOf(words: Map<string, string[]>): string {
  return [...words].map(([path, all]) => `    "${path}") words="${all.join(" ")}" ;;`).join("\n");
}

function bash(words: Map<string, string[]>): string {
  return `_mailberth() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    case "$path" in
${casesOf(words)}
    *) if [[ "$path" == *" "* ]]; then path="\${path% *}"; continue; fi ;;
    esac
    break
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _mailberth mailberth
`;
}

function zsh(words: Map<string, string[]>): string {
  return `autoload -Uz bashcompinit && bashcompinit\n${bash(words)}`;
}

function fish(words: Map<string, string[]>): string {
  const lines = [...words].flatMap(([path, all]) => {
    const seen =
      path === ""
        ? "__fish_use_subcommand"
        : path
            .split(" ")
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join("; and ");
    return all.map((word) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c mailberth -n "${seen}" ${what}`;
    });
  });
  return `${lines.join("\n")}\n`;
}

const SCRIPTS: Record<Name, (words: Map<string, string[]>) => string> = { bash, zsh, fish };

export function addCompletionCommand(program: Command, shell: Shell): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "for which shell").choices(SHELLS))
    .description('print a completion script: add `eval "$(mailberth completion bash)"` to ~/.bashrc')
    .action((name: Name) => {
      shell.stdout.write(SCRIPTS[name](wordsOf(program)));
    });
}
