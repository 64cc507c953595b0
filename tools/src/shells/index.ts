// The shells for which `leadership completion` prints a script.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isOffered } from '../backends/is-offered.ts';

/** Where Debian's package `bash-completion` installs what a login shell reads. */
export const bashCompletion = '/usr/share/bash-completion/bash_completion';

/**
 * Returns whether tests can use this shell here, or bash with its package of completions. If not,
 * one line on stderr states why.
 */
export function hasShell(name: 'bash' | 'bash-completion' | 'zsh' | 'fish'): boolean {
  const isInstalled =
    name === 'bash-completion'
      ? existsSync(bashCompletion)
      : spawnSync(name, ['-c', 'true']).status === 0;
  return isOffered('shells', isInstalled ? undefined : `install the package ${name}`);
}
