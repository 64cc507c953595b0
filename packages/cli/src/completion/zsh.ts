// The completion of `leadership` for zsh.
import type { CompletedCommand, CompletedOption, CompletionTable } from './table.ts';

/** Returns the script for zsh. As a file named `_leadership` in `fpath` it works too. */
export function zshScript({ options, commands }: CompletionTable): string {
  const wrappers = commands.filter(({ isWrapper }) => isWrapper).map(({ name }) => name);
  const described = commands.map(
    ({ name, description }) => `'${name}:${quoted(description, /:/g)}'`,
  );
  return `#compdef leadership
# Completes the command leadership in zsh: eval "$(leadership completion zsh)", after compinit
_leadership() {
  local state line
  local -i at
  local -a names
  if [[ $words[2] == (${wrappers.join('|')}) ]]; then
    at=$words[(i)--]
    if (( at < CURRENT )); then
      # A command of the user follows, with its arguments.
      words=("\${(@)words[at+1,-1]}")
      (( CURRENT -= at ))
      _normal
      return
    fi
  fi
  _arguments -C \\
${options.flatMap(specsOf).map(continued).join('')}    '1: :->command' \\
    '*:: :->argument'
  case $state in
    command)
      names=(
${described.map((line) => `        ${line}\n`).join('')}      )
      _describe command names
      ;;
    argument)
      case $words[1] in
${commands.map(caseOf).join('\n')}
      esac
      ;;
  esac
}

if [[ $funcstack[1] == _leadership ]]; then
  _leadership "$@"
else
  compdef _leadership leadership
fi
`;
}

function caseOf({ name, options, choices }: CompletedCommand): string {
  const argument = choices.length === 0 ? `'*: :_nothing'` : `'1: :(${choices.join(' ')})'`;
  const specs = [...options.flatMap(specsOf), argument];
  return `        ${name})
          _arguments${specs.map((spec) => ` \\\n            ${spec}`).join('')}
          ;;`;
}

/** Returns the specification of an option for `_arguments`, one for each of its names. */
function specsOf({ names, description, isRepeatable, value }: CompletedOption): readonly string[] {
  const excluded = isRepeatable ? '*' : `(${names.join(' ')})`;
  return names.map((name) => {
    // The option and its value may be one word, as in --name=value.
    const sign = value !== 'none' && name.startsWith('--') ? '=' : '';
    return `'${excluded}${name}${sign}[${quoted(description, /[[\]]/g)}]${actionOf(value)}'`;
  });
}

function actionOf(value: CompletedOption['value']): string {
  if (value === 'none') return '';
  if (value === 'folder') return ': :_files -/';
  return value === 'unknown' ? ': :_nothing' : `: :(${value.join(' ')})`;
}

function continued(spec: string): string {
  return `    ${spec} \\\n`;
}

/** Escapes the characters that end a description, and those that end a quoted word. */
function quoted(text: string, special: RegExp): string {
  return text.replaceAll(special, '\\$&').replaceAll(`'`, `'\\''`);
}
