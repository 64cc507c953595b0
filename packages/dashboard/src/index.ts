/**
 * A page that shows who leads which partition, to mount in any Node HTTP server.
 *
 * @packageDocumentation
 */
export {};
