import { type Channel, channel } from 'node:diagnostics_channel';

/**
 * Receives the events of all sources of the process as `{ group, event }`, for monitoring that has
 * no access to the sources. Its name is part of the documentation.
 */
export const eventChannel: Channel = channel('leadership:event');
