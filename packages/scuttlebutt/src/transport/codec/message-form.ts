// The binary format of messages between gossip members. A reader takes untrusted bytes: it returns
// a message that a writer can have produced, or nothing. The protocol checks the content of the
// message.
import {
  ByteReader,
  type ByteWriter,
  type Form,
  fieldsForm,
  kindsForm,
  optionalForm,
  wholeForm,
} from '@leadership/peer';
import type { Declaration } from '../../protocol/election/declaration.ts';
import type { Delta, DeltaEntry } from '../../protocol/gossip/deltas.ts';
import type { Body, Digest } from '../../protocol/gossip/digests.ts';
import type { Row } from '../../protocol/gossip/node.ts';
import type { Message } from '../../protocol/message.ts';
import { declarationForm, type Scope, type ScopedForm } from './declaration-form.ts';
import { clockForm, fewForm, manyForm, nameForm, valueForm } from './values.ts';

/** The version of the encoding. */
const version = 1;
/** The bytes of a pin, which is a text of twice as many hexadecimal digits. */
const pinBytes = 16;

const rowForm: Form<Row> = fieldsForm<Row>({
  name: nameForm,
  generation: wholeForm,
  beat: wholeForm,
  clock: clockForm,
  sequence: wholeForm,
  version: wholeForm,
  floor: wholeForm,
});
const rowsForm: Form<readonly Row[]> = manyForm(rowForm);

const deltasForm: ScopedForm<readonly Delta<Declaration>[]> = manyForm(
  fieldsForm<Delta<Declaration>, unknown, Scope>({
    row: rowForm,
    declaration: optionalForm(declarationForm),
    since: wholeForm,
    entries: fewForm(
      fieldsForm<DeltaEntry>({ key: nameForm, value: valueForm, version: wholeForm }),
    ),
  }),
);

/** A digest covers no range, a range with an end, or one up to the last name. */
const ranges = ['none', 'bounded', 'open'] as const;

const rangeForm: Form<Digest['range']> = {
  write(to, range, sender) {
    const kind = range === undefined ? 'none' : range.to === undefined ? 'open' : 'bounded';
    to.byte(ranges.indexOf(kind));
    if (range) nameForm.write(to, range.from, sender);
    if (range?.to !== undefined) nameForm.write(to, range.to, sender);
  },
  read(from, receiver) {
    const kind = from.oneOf(ranges);
    if (kind === 'none') return undefined;
    const start = nameForm.read(from, receiver);
    return { from: start, to: kind === 'bounded' ? nameForm.read(from, receiver) : undefined };
  },
};

const messageForm: ScopedForm<Message> = fieldsForm<Message, unknown, Scope>({
  pin: {
    write: (to, pin) => to.raw(Buffer.from(pin, 'hex')),
    read: (from) => from.raw(pinBytes).toString('hex'),
  },
  from: rowForm,
  body: kindsForm<Body<Declaration>, unknown, Scope>({
    digest: { range: rangeForm, rows: rowsForm },
    reply: { deltas: deltasForm, lacks: rowsForm },
    deltas: { deltas: deltasForm },
  }),
});

/** Appends a message. */
export function writeMessage(to: ByteWriter, message: Message): void {
  to.byte(version);
  messageForm.write(to, message, undefined);
}

/** Reads a message of a group with that number of partitions; `undefined` if it is not one. */
export function readMessage(bytes: Buffer, partitions: number): Message | undefined {
  const from = new ByteReader(bytes);
  if (from.byte() !== version) return undefined;
  const message = messageForm.read(from, { partitions });
  return from.isDone ? message : undefined;
}
