import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from './document.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Returns the states in the first state diagram of a page. */
function drawn(page: string): ReadonlySet<string> {
  const diagram = /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(textOf(page))?.[1] ?? '';
  const arrows = [...diagram.matchAll(/(\w+) --> (\w+)/g)];
  return new Set(arrows.flatMap(([, from = '', to = '']) => [from, to]));
}

/** Returns the states of the machine in a folder: the union type whose first one is `follower`. */
function coded(folder: string): ReadonlySet<string> {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.ts'));
  const text = files.map((name) => textOf(`${folder}/${name}`)).join('\n');
  const union = /^ {2}\| { readonly kind: 'follower' }([\s\S]*?)\n\n/m.exec(text)?.[1] ?? '';
  const others = [...union.matchAll(/kind: ([^;]*);/g)].flatMap(([, kinds = '']) =>
    [...kinds.matchAll(/'(\w+)'/g)].map(([, kind = '']) => kind),
  );
  return new Set(['follower', ...others]);
}

describe.each([
  ['docs/explanation/induction.md', 'packages/induction/src/protocol', []],
  // A candidate contends while it is a follower with a round of requests.
  ['docs/explanation/nerio.md', 'packages/nerio/src/protocol', ['contending']],
] as const)('the state diagram of %s', (page, folder, added) => {
  it('has exactly the states of the machine', () => {
    expect([...drawn(page)].sort()).toEqual([...coded(folder), ...added].sort());
  });
});

describe('docs/reference/events.md', () => {
  it('draws every state that `leadership$` emits, except for observers', () => {
    const union = /type Leadership =([\s\S]*)/.exec(
      textOf('packages/core/src/contract/leadership.ts'),
    )?.[1];
    const states = [...(union ?? '').matchAll(/state: '(\w+)'/g)].map(([, state = '']) => state);
    const shown = states.filter((state) => state !== 'observing');
    expect([...drawn('docs/reference/events.md')].sort()).toEqual(shown.sort());
  });
});
