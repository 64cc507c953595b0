// The program of one member: a process of its own, steered over the channel to the demo that forked it.
import { openLeadership } from '@leadership/core';
import { optionsOf, type Part } from './actor.ts';
import type { Command, Note } from './note.ts';
import { perform } from './perform.ts';

const part = JSON.parse(process.argv[2] ?? '') as Part;
const source = await openLeadership(part.url, { ...optionsOf(part), ...(await waysOf(part)) });
const send = (note: Note): void => void (process.connected && process.send?.(note, () => undefined));

// Control-C reaches every process of the terminal: the demo decides who ends when, and nobody outlives it.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());

const act = perform(source, send);
process.on('message', (command: Command) => act(command));
source.events$.subscribe({ complete: () => process.disconnect?.() });

/** How members reach each other that go by names. */
async function waysOf({ addresses }: Part): Promise<object> {
  if (addresses === undefined) return {};
  const { tcpTransport } = await import('@leadership/nerio');
  return { transport: tcpTransport({ addresses }) };
}
