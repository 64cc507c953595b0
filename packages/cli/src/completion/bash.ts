// The completion of `leadership` for bash, from 3.2 on.
import type { CompletedCommand, CompletionTable } from './table.ts';

/** Returns the script for bash. */
export function bashScript({ options, commands }: CompletionTable): string {
  const first = [...commands.map(({ name }) => name), ...options.flatMap(({ names }) => names)];
  const wrappers = commands.filter(({ isWrapper }) => isWrapper).map(({ name }) => name);
  return `# Completes the command leadership in bash: eval "$(leadership completion bash)"
_leadership() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at words= folders=
  # Bash splits --name=value at the sign.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    words='${first.join(' ')}'
  else
    case \${COMP_WORDS[1]} in
      ${wrappers.join('|')})
        for (( at = 2; at < COMP_CWORD; at++ )); do
          if [[ \${COMP_WORDS[at]} == -- ]]; then
            _leadership_command $(( at + 1 ))
            return
          fi
        done
        ;;
    esac
    case "\${COMP_WORDS[1]} $previous" in
${commands.flatMap(casesOf).join('\n')}
    esac
  fi
  local IFS=$' \\t\\n'
  if [[ -n $folders ]]; then
    compopt -o filenames 2>/dev/null
    IFS=$'\\n'
    COMPREPLY=($(compgen -d -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}

# Completes the command that begins at this word, and its arguments.
_leadership_command() {
  local IFS=$'\\n'
  if declare -F _command_offset >/dev/null; then
    IFS=$' \\t\\n'
    _command_offset "$1"
  elif (( COMP_CWORD == $1 )); then
    COMPREPLY=($(compgen -c -- "\${COMP_WORDS[COMP_CWORD]}"))
  else
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  fi
}

complete -F _leadership leadership
`;
}

/** Returns what can follow each option of a command, and then what can follow any other word. */
function casesOf({ name, options, choices }: CompletedCommand): readonly string[] {
  const valued = options.flatMap(({ names, value }) => {
    if (value === 'none') return [];
    const pattern = names.map((option) => `'${name} ${option}'`).join('|');
    if (value === 'folder') return [`      ${pattern}) folders=yes ;;`];
    return [`      ${pattern}) words='${value === 'unknown' ? '' : value.join(' ')}' ;;`];
  });
  const words = [...choices, ...options.flatMap(({ names }) => names)];
  return [...valued, `      '${name} '*) words='${words.join(' ')}' ;;`];
}
