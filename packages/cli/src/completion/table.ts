// The words that a shell can complete, read from the parser's own table: a command or an option that
// is added there is completed without another change.
import type { Command, Option } from 'commander';
import { isWrapper } from '../failure.ts';

/** An option, as a shell completes it. */
export interface CompletedOption {
  /** Its names with dashes, such as `-q` and `--quiet`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Whether it may be given several times. */
  readonly isRepeatable: boolean;
  /** Its value: nothing, a folder, one of these words, or a value that no shell knows. */
  readonly value: 'none' | 'folder' | 'unknown' | readonly string[];
}

/** A command, as a shell completes it. */
export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** The words that its argument can be; empty if no shell knows them. */
  readonly choices: readonly string[];
  /** Whether a command of the user follows `--`. */
  readonly isWrapper: boolean;
}

/** All that can be completed. */
export interface CompletionTable {
  /** The options without a command. */
  readonly options: readonly CompletedOption[];
  readonly commands: readonly CompletedCommand[];
}

/** Returns the table of a program, with the command and the options that the parser adds itself. */
export function completionTable(program: Command): CompletionTable {
  const commands = program.createHelp().visibleCommands(program);
  const names = commands.map((command) => command.name());
  return {
    options: optionsOf(program),
    commands: commands.map((command) => ({
      name: command.name(),
      description: command.description(),
      options: optionsOf(command),
      choices: command.name() === 'help' ? names : choicesOf(command),
      isWrapper: isWrapper(command.name()),
    })),
  };
}

function choicesOf(command: Command): readonly string[] {
  return command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
}

function optionsOf(command: Command): readonly CompletedOption[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      names: [option.short, option.long].flatMap((name) => name ?? []),
      description: option.description,
      isRepeatable: Array.isArray(option.defaultValue),
      value: followedBy(option),
    }));
}

function followedBy({ argChoices, flags, required }: Option): CompletedOption['value'] {
  // The next word need not be the value of an option that may have none.
  if (!required) return 'none';
  if (argChoices !== undefined) return argChoices;
  return flags.endsWith('<dir>') ? 'folder' : 'unknown';
}
