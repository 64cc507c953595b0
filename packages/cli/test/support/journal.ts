import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { expect } from 'vitest';
import type { Group } from './group.ts';
import { growingFile } from './growing-file.ts';

/** A line of a worker. */
interface Line {
  readonly kind: string;
  readonly name: string;
  readonly pid: number;
  readonly token: string;
  readonly atNs: bigint;
}

/** The recorded actions of the workers of a group. */
export interface Journal {
  /** The command line of a worker. */
  worker(name: string, manner?: 'stubborn'): readonly string[];
  lines(name?: string): readonly Line[];
  /** Resolves with the first line of that worker and kind. */
  noted(name: string, kind: string): Promise<Line>;
  /** Asserts that no worker acted in a term after the worker of a later term had started. */
  expectExclusive(): void;
}

const program = fileURLToPath(new URL('./worker.mjs', import.meta.url));

/** Creates the journal of a group. */
export function journalIn({ directory }: Group): Journal {
  const path = join(directory, 'journal');
  const newLines = growingFile(path);
  const noted: Line[] = [];
  const lines = (name?: string): readonly Line[] => {
    // A worker may be killed in the middle of a line.
    for (const text of newLines().filter((one) => one.endsWith('}'))) {
      const line = JSON.parse(text);
      noted.push({ ...line, atNs: BigInt(line.atNs) });
    }
    return noted.filter((line) => name === undefined || line.name === name);
  };
  return {
    worker: (name, manner) => [process.execPath, program, path, name, ...(manner ? [manner] : [])],
    lines,
    noted: (name, kind) =>
      eventually(`worker ${name} notes "${kind}"`, () =>
        lines(name).find((line) => line.kind === kind),
      ),
    expectExclusive() {
      const spans = new Map<string, { firstNs: bigint; lastNs: bigint }>();
      for (const { token, atNs } of lines()) {
        const span = spans.get(token);
        spans.set(token, { firstNs: span?.firstNs ?? atNs, lastNs: atNs });
      }
      const terms = [...spans].sort(([a], [b]) => Number(BigInt(a) - BigInt(b)));
      terms.slice(1).forEach(([token, { firstNs }], index) => {
        const [earlier, { lastNs }] = terms[index] ?? [token, { lastNs: 0n }];
        expect(
          lastNs,
          `the worker of term ${earlier} acted after term ${token} began`,
        ).toBeLessThan(firstNs);
      });
    },
  };
}
