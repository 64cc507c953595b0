// How the errors of sockets that the adapter itself has closed are recognised.

/** The error message on the sockets of a closed client. */
export const closedMessage = 'this client is closed';
