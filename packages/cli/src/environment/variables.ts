// The environment variables of `leadership`. The code takes their names from here, and `leadership
// env` prints the table.
import { guardVariable } from '@leadership/core/internal/guard';

/** The URL of commands that get none as an argument. */
export const urlVariable = 'LEADERSHIP_URL';
/** Options that a URL cannot or should not contain. */
export const optionsVariable = 'LEADERSHIP_OPTIONS';
/** The folder of the files of `run`, for services with a temporary folder of their own. */
export const folderVariable = 'LEADERSHIP_RUN_DIR';
/** Whether the user asks for stacks and causes. */
export const debugVariable = 'LEADERSHIP_DEBUG';
/** The role, or the slot, and the token of the term, for the command of `run`. */
export const roleVariable = 'LEADERSHIP_ROLE';
export const slotVariable = 'LEADERSHIP_SLOT';
export const tokenVariable = 'LEADERSHIP_TOKEN';

/** The part of a value that may be printed: all, a URL without secrets, the names of a JSON object, a number. */
type Shown = 'text' | 'url' | 'names' | 'number';

/** A variable of the environment. */
export interface Variable {
  readonly name: string;
  /** Who sets it: the user, or a command for the program that it runs. */
  readonly setBy: 'user' | 'run' | 'guard';
  readonly shown: Shown;
  readonly meaning: string;
}

/** Every variable that `leadership` reads or sets. Backends and their clients read others. */
export const variables: readonly Variable[] = [
  {
    name: urlVariable,
    setBy: 'user',
    shown: 'url',
    meaning: 'the URL of the group, for commands that get none',
  },
  {
    name: optionsVariable,
    setBy: 'user',
    shown: 'names',
    meaning: 'a JSON object of options, such as credentials',
  },
  {
    name: folderVariable,
    setBy: 'user',
    shown: 'text',
    meaning: 'the folder in which resign finds run; by default one in the temporary folder',
  },
  {
    name: debugVariable,
    setBy: 'user',
    shown: 'text',
    meaning: 'if it is set, the stack of a failure follows its line',
  },
  {
    name: guardVariable,
    setBy: 'guard',
    shown: 'text',
    meaning: 'the socket of the guard, for every source that is opened by a URL',
  },
  { name: roleVariable, setBy: 'run', shown: 'text', meaning: 'the role that is led' },
  { name: slotVariable, setBy: 'run', shown: 'number', meaning: 'the slot of run --slots' },
  {
    name: tokenVariable,
    setBy: 'run',
    shown: 'number',
    meaning: 'the token of the term: send it with every write',
  },
];
