// Makes the members of a process check every step of their leases against the text of the rules:
// `node --conditions=@leadership/internal --import …/check-steps.js`. A wrong step ends the process
// with an uncaught error. The bundles are those that are published.
import { writeSync } from 'node:fs';
import { register } from 'node:module';
import type { Observer } from '../relation/guards.ts';

register('./check-steps-hooks.js', import.meta.url);
// This imports core, so it comes after the hooks.
const { checkedStep } = await import('../relation/checked-step.ts');

/** The number of steps after which the member logs an event. */
const every = 100;

const observe: Observer = ({ steps }, [refuted]) => {
  if (refuted !== undefined)
    process.nextTick(() => {
      throw new Error(`step ${steps} is not permitted by the rules: ${refuted}`);
    });
  if (steps % every !== 0) return;
  const event = { atNs: String(process.hrtime.bigint()), kind: 'measured' };
  writeSync(1, `${JSON.stringify({ ...event, detail: `${every} steps checked` })}\n`);
};
Object.assign(globalThis, { checkedStep: checkedStep(observe) });
