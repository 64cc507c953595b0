// Parses the arguments of `npm run bench`.
import type { Benchmark } from './benchmarks.ts';

/** A parsed command line. */
export type Command =
  | { readonly kind: 'run'; readonly benchmarks: readonly Benchmark[]; readonly json: boolean }
  | { readonly kind: 'list'; readonly benchmarks: readonly Benchmark[] }
  | {
      readonly kind: 'usage';
      readonly complaint: string;
      readonly benchmarks: readonly Benchmark[];
    };

/** Parses `NAME [--json]`, `all [--json]` or `--list`. */
export function parseCommandLine(
  args: readonly string[],
  benchmarks: readonly Benchmark[],
): Command {
  const names = args.filter((arg) => !arg.startsWith('-'));
  const flags = args.filter((arg) => arg.startsWith('-'));
  const unknownFlag = flags.find((flag) => flag !== '--json' && flag !== '--list');
  if (unknownFlag !== undefined)
    return { kind: 'usage', complaint: `unknown option ${unknownFlag}`, benchmarks };
  if (flags.includes('--list')) return { kind: 'list', benchmarks };
  if (names.length === 0)
    return { kind: 'usage', complaint: 'the name of a benchmark is missing', benchmarks };
  const unknownName = names.find(
    (name) => name !== 'all' && !benchmarks.some((benchmark) => benchmark.name === name),
  );
  if (unknownName !== undefined)
    return { kind: 'usage', complaint: `unknown benchmark ${unknownName}`, benchmarks };
  const chosen = benchmarks.filter(({ name }) => names.includes(name) || names.includes('all'));
  return { kind: 'run', benchmarks: chosen, json: flags.includes('--json') };
}
