// Forgets dead members. A silent member is passed on for a while, then kept but not passed on, then
// removed. Its generation and beat are remembered for the same time again, so that a member
// that still passes it on does not bring it back.

import { type GossipContext, remove } from './context.ts';
import type { Forgotten } from './rules.ts';

/** The greatest number of removed members that are remembered, in nodes. */
const forgottenPerNode = 4;

/** Removes every member that has been silent for too long. Voters stay: they are configured. */
export function forget<Declaration>(context: GossipContext<Declaration>): void {
  const { rules, config, now } = context;
  for (const { name, generation, beat, lastBeatAt } of context.nodes.values()) {
    if (name === config.member || config.voters.includes(name)) continue;
    if (!rules.isForgotten(now - lastBeatAt, config.forgetAfterMs)) continue;
    remove(context, name);
    remember(context, name, { generation, beat, until: now + config.forgetAfterMs });
    context.changed.add(name);
  }
  for (const [name, { until }] of context.forgotten) if (now >= until) copied(context).delete(name);
}

function remember<Declaration>(
  context: GossipContext<Declaration>,
  name: string,
  forgotten: Forgotten,
): void {
  const memory = copied(context);
  memory.delete(name);
  memory.set(name, forgotten);
  const oldest = memory.keys().next();
  if (memory.size > forgottenPerNode * context.config.nodesMax && !oldest.done)
    memory.delete(oldest.value);
}

function copied<Declaration>(context: GossipContext<Declaration>): Map<string, Forgotten> {
  if (context.forgotten === context.before.forgotten)
    context.forgotten = new Map(context.before.forgotten);
  return context.forgotten as Map<string, Forgotten>;
}
