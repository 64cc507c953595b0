import { setTimeout as pause } from 'node:timers/promises';
import { beatMsOf } from './member.ts';

/** What a member takes to start and to find its way to the coordinator, on a busy machine. Milliseconds. */
const startMs = 1500;

/** Resolves when a member that was just started is part of its group: the others learn of it by their next heartbeat. */
export async function settled(sessionMs: number): Promise<void> {
  await pause(startMs + beatMsOf(sessionMs) * (1.5 + Math.random()));
}
