// The rest of each lease, as a bar. Only bars that the reader sees are moved.
import { create, duration, say } from './dom.js';

const seen = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) seen.add(target);
    else seen.delete(target);
    if (isIntersecting) move(target);
  }
});
/** The greatest rest of a lease that was seen for each member: nearly its length. */
const greatest = new Map();

/** Creates the contents of a cell: a bar, and its rest in words. `leaseOf` returns whose lease it is, and its end. */
export function barOf(label, leaseOf) {
  const bar = create('progress', undefined, { 'aria-label': label });
  const text = create('span', '', { class: 'left' });
  bar.show = () => {
    const { member, endsMs } = leaseOf();
    const remainingMs = Math.max(0, (endsMs ?? 0) - performance.now());
    if (remainingMs > (greatest.get(member) ?? 0)) greatest.set(member, remainingMs);
    const max = greatest.get(member) ?? 1;
    if (bar.max !== max) bar.max = max;
    if (bar.value !== remainingMs) bar.value = remainingMs;
    say(text, duration(remainingMs));
  };
  observer.observe(bar);
  return [bar, text];
}

const move = (bar) => bar.show();
/** Moves the bars that are in view. */
export function moveBars() {
  for (const bar of seen) move(bar);
}
