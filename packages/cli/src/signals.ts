// The signals that the wrappers `run` and `guard` handle and pass on.

/** The signals that end a wrapper once its command has ended. */
export const endSignals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGQUIT'];
/**
 * Asks `run` to resign. A process that does not handle this signal ignores it, so a wrong process
 * takes no harm.
 */
export const resignSignal: NodeJS.Signals = 'SIGURG';
/** The signals that a command may survive: its wrapper then continues too. */
export const passedSignals: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGUSR1', 'SIGUSR2'];
