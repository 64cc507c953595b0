// What a test wants members to ask for, and what becomes of it, by files: a member that is killed over it leaves nothing to be cleared up.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How often a member looks whether there is a new wish. Milliseconds. */
const periodMs = 10;

/** Has that member ask for these members. */
export function wish(directory, member, members) {
  put(join(directory, `${member}.wish`), JSON.stringify({ members, id: Math.random() }));
}

/** The members of the epoch that it is in, by its own word; none before it has said so. */
export function membersAsOf(directory, member) {
  return JSON.parse(read(join(directory, `${member}.epoch`)) || '[]');
}

/** Whether it grants leases, as far as it has said: it is a voter, and knows what there is to know. */
export function isGranting(directory, member) {
  return read(join(directory, `${member}.granting`)) === '1';
}

/** Every sentence about a process of the same name that was in its health, one a line. */
export function displacements(directory, member) {
  return read(join(directory, `${member}.displaced`));
}

/** From now on the source does what is wished of it. What was wished of an earlier life is that one's. */
export function follow(source, directory) {
  const path = join(directory, `${source.member}.wish`);
  let known = read(path);
  let granting = 0;
  const displaced = new Set();
  put(join(directory, `${source.member}.granting`), '0');
  const timer = setInterval(() => {
    const { measured, troubles } = source.health();
    const news = troubles.filter(({ code, message }) => code === 'displaced' && !displaced.has(message));
    for (const { message } of news) displaced.add(message);
    if (news.length > 0) put(join(directory, `${source.member}.displaced`), [...displaced].join('\n'));
    const now = measured.granting;
    if (now !== granting) put(join(directory, `${source.member}.granting`), `${now}`);
    granting = now;
    const wanted = read(path);
    if (wanted === known) return;
    known = wanted;
    source.reconfigure(JSON.parse(wanted).members).catch(() => undefined);
  }, periodMs);
  source.epoch$.subscribe({
    next: ({ members }) => put(join(directory, `${source.member}.epoch`), JSON.stringify(members.map(({ member }) => member))),
    complete: () => clearInterval(timer),
  });
  return source;
}

/** Never half of it. */
function put(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
