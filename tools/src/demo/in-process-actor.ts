import { openLeadership } from '@leadership/core';
import { type Actor, optionsOf, type Part } from './actor.ts';
import type { Command, Note } from './note.ts';
import { perform } from './perform.ts';

/**
 * A member in the demo's own process, for the memory backend. It cannot be killed alone, so its crash is a close that neither
 * drains nor releases: to the others the same, the lease is left to lapse.
 */
export function inProcessActor(part: Part, tell: (note: Note) => void): Actor {
  const opening = openLeadership(part.url, optionsOf(part));
  const act = opening.then((source) => perform(source, tell));
  const over = opening.then(
    (source) => new Promise<undefined>((resolve) => source.events$.subscribe({ complete: () => resolve(undefined) })),
  );
  return {
    member: part.member,
    pid: process.pid,
    gone: over.catch(String),
    tell: (command: Command) =>
      void act.then(
        (does) => does(command),
        () => undefined,
      ),
    crash() {
      const atNs = process.hrtime.bigint();
      void opening.then(
        (source) => source.close({ signal: AbortSignal.abort() }),
        () => undefined,
      );
      return atNs;
    },
  };
}
