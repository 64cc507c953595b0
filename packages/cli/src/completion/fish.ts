// The completion of `leadership` for fish.
import type { CompletedCommand, CompletedOption, CompletionTable } from './table.ts';

/** Returns the script for fish. */
export function fishScript({ options, commands }: CompletionTable): string {
  const wrappers = commands.filter(({ isWrapper }) => isWrapper).map(({ name }) => name);
  const first = commands.map(({ name, description }) =>
    entry('__leadership_is_first', `-a ${name} -d ${quoted(description)}`),
  );
  return `# Completes the command leadership in fish: leadership completion fish | source
function __leadership_is_first
    test (count (commandline -opc)) -eq 1
end

function __leadership_is
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]; and not contains -- -- $words
end

# Whether a command of the user has begun.
function __leadership_wraps
    set -l words (commandline -opc)
    contains -- "$words[2]" ${wrappers.join(' ')}; and contains -- -- $words
end

function __leadership_wrapped
    set -l words (commandline -opc)
    set -e words[1..(contains -i -- -- $words)]
    complete -C (string join -- ' ' (string escape -- $words) (commandline -ct))
end

complete -c leadership -e
complete -c leadership -f
${[...first, ...options.map((option) => optionOf('__leadership_is_first', option)), ...commands.flatMap(entriesOf)].join('\n')}
${entry('__leadership_wraps', `-a '(__leadership_wrapped)'`)}
`;
}

function entriesOf({ name, options, choices }: CompletedCommand): readonly string[] {
  const condition = `'__leadership_is ${name}'`;
  const words = choices.length === 0 ? [] : [entry(condition, `-a '${choices.join(' ')}'`)];
  return [...words, ...options.map((option) => optionOf(condition, option))];
}

function optionOf(condition: string, { names, description, value }: CompletedOption): string {
  const flags = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  return entry(condition, [...flags, ...actionOf(value), `-d ${quoted(description)}`].join(' '));
}

function actionOf(value: CompletedOption['value']): readonly string[] {
  if (value === 'none') return [];
  if (value === 'folder') return [`-x -a '(__fish_complete_directories)'`];
  return value === 'unknown' ? ['-x'] : [`-x -a '${value.join(' ')}'`];
}

function entry(condition: string, rest: string): string {
  return `complete -c leadership -n ${condition} ${rest}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll(`'`, `\\'`)}'`;
}
