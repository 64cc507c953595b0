/**
 * The leadership command: shows who leads, and runs any program only while it leads.
 *
 * @packageDocumentation
 */
export {};
