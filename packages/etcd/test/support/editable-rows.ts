import type { EditableRows } from '@leadership/testkit/faults';
import { bytesOf } from '../../src/text.ts';
import type { Admin } from './admin.ts';

/** Returns what the keys of a group begin with. */
export function baseOf(group: string): string {
  return `leadership/${encodeURIComponent(group)}/`;
}

/** Returns the rows of a group, edited as an operator can. */
export function editableRows(admin: Admin): EditableRows {
  return {
    async read(group) {
      const base = baseOf(group);
      const entries = await admin.entries(base);
      return new Map(entries.map(([key, text]) => [key.slice(base.length), text]));
    },
    async write(group, texts, only) {
      const keyOf = (name: string): string => bytesOf(`${baseOf(group)}${name}`);
      const reply = await admin.call('kv/txn', {
        compare: (only ? [only] : []).map(([name, text]) => ({
          key: keyOf(name),
          target: 'VALUE',
          result: 'EQUAL',
          value: bytesOf(text),
        })),
        success: [...texts].map(([name, text]) =>
          text === null
            ? { request_delete_range: { key: keyOf(name) } }
            : { request_put: { key: keyOf(name), value: bytesOf(text) } },
        ),
      });
      return reply['succeeded'] === true;
    },
  };
}
