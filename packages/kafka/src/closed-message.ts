/** The reason why a socket of a client that was closed ends. */
export const closedMessage = 'this client is closed';
