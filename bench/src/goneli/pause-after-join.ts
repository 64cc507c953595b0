import { setTimeout as pause } from 'node:timers/promises';
import { beatMsOf } from './member.ts';

/**
 * The time that a member needs to start and to find the coordinator on a busy machine, in
 * milliseconds.
 */
const startMs = 1500;

/**
 * Waits until a new member is part of its group. The other members learn of it at their next
 * heartbeat.
 */
export async function settled(sessionMs: number): Promise<void> {
  await pause(startMs + beatMsOf(sessionMs) * (1.5 + Math.random()));
}
