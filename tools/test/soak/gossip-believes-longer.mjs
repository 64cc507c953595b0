// The gossip backend with a defect that the soak must find: its members believe 2 P longer than their
// votes allow. Its URL is like that of `gossip-links.mjs`.
import { scuttlebuttRules } from '../../../packages/scuttlebutt/lib/protocol.js';

const { believeUntil } = scuttlebuttRules;
scuttlebuttRules.believeUntil = (bound, thresholdMs, r) =>
  believeUntil(bound, thresholdMs, r) + 2 * thresholdMs;

const { search } = new URL(import.meta.url);
export const { backend } = await import(`./gossip-links.mjs${search}`);
