/** The error message on the sockets of a closed client. */
export const closedMessage = 'this client is closed';
