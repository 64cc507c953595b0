import { arrows } from './table.ts';

/** Draws the arrows between packages as a flow chart of Mermaid: packages with the same ones are a box. */
export function arrowsDiagram(): string {
  const known = knownPackages();
  const knownBy = (name: string): string[] =>
    [...known].filter(([, others]) => others.has(name)).map(([from]) => from);
  const boxes = new Map<string, string[]>();
  for (const [name, others] of known) {
    const alike = `${[...others].sort().join(' ')} < ${knownBy(name).join(' ')}`;
    boxes.set(alike, [...(boxes.get(alike) ?? []), name]);
  }
  const boxOf = (name: string): string =>
    [...boxes.values()].find((members) => members.includes(name))?.[0] ?? name;
  const drawn = [...known].flatMap(([from, others]) =>
    [...others].map((to) => `  ${boxOf(from)} --> ${boxOf(to)}`),
  );
  const declared = [...boxes.values()].map(
    (members) => `  ${members[0]}["${members.join(' · ')}"]`,
  );
  return ['flowchart LR', ...declared, ...new Set(drawn), ''].join('\n');
}

/** The packages of the table, and the other ones that each imports. */
function knownPackages(): ReadonlyMap<string, ReadonlySet<string>> {
  const known = new Map<string, Set<string>>();
  for (const [folder, names] of Object.entries(arrows)) {
    const [from = ''] = folder.split('/');
    const others = names.split(' ').map((name) => name.split('/')[0] ?? '');
    const found = known.get(from) ?? new Set<string>();
    known.set(from, found);
    for (const other of others)
      if (other !== from && Object.hasOwn(arrows, other)) found.add(other);
  }
  return known;
}
