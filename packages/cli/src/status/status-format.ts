// The template of `status --format`: one line for each partition, for scripts.
import { printable } from '@leadership/core/internal';
import { InvalidArgumentError } from 'commander';
import type { StatusReport } from './status-report.ts';

/** The facts of a partition. */
type Row = StatusReport['leaders'][number];

/** The fields of a template. A field that is not known is empty, so that `test -z` finds it. */
const fields: Readonly<Record<string, (row: Row, report: StatusReport) => string>> = {
  leader: ({ leader }) => leader?.member ?? '',
  token: ({ leader }) => leader?.token ?? '',
  since: ({ leader }) => leader?.since ?? '',
  partition: ({ partition }) => String(partition),
  roles: ({ roles }) => roles.join(','),
  group: (_, { group }) => group,
};

/** A field, and the metadata of the leader by name. Other braces are text. */
const placeholder = /\{([A-Za-z]+)(?:\.([^{}]*))?\}/g;

const escapes: Readonly<Record<string, string>> = { '\\t': '\t', '\\n': '\n', '\\\\': '\\' };

/**
 * Checks a template of the command line.
 * @throws InvalidArgumentError with the fields that exist, if it names another one
 */
export function statusFormat(template: string): string {
  for (const [text, name = '', key] of template.matchAll(placeholder)) {
    const isKnown = key === undefined ? Object.hasOwn(fields, name) : name === 'metadata';
    if (!isKnown)
      throw new InvalidArgumentError(
        `${text} is no field; the fields are ${Object.keys(fields)
          .map((field) => `{${field}}`)
          .join(', ')} and {metadata.NAME}.`,
      );
  }
  return template;
}

/** Returns the lines of a report, one for each partition. */
export function formatted(template: string, report: StatusReport): string {
  const text = template.replaceAll(/\\[tn\\]/g, (written) => escapes[written] ?? written);
  const lines = report.leaders.map((row) =>
    text.replaceAll(placeholder, (_, name: string, key?: string) =>
      // The texts of other members contain no tab and no line feed afterwards.
      printable(
        key === undefined ? (fields[name]?.(row, report) ?? '') : (row.leader?.metadata[key] ?? ''),
      ),
    ),
  );
  return lines.map((line) => `${line}\n`).join('');
}
