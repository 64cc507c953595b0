/** The signals that end a wrapper once its command has ended. */
export const endSignals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGQUIT'];
/** The signals that a command may survive: its wrapper then continues too. */
export const passedSignals: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGUSR1', 'SIGUSR2'];
