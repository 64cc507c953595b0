// Passes a test's proposals to members, and their results back, in files: a member that is killed
// leaves nothing to clean up.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The interval at which a member checks for a new proposal. Milliseconds. */
const periodMs = 10;

/** Makes that member propose these members. */
export function propose(directory, member, members) {
  put(join(directory, `${member}.proposal`), JSON.stringify({ members, id: Math.random() }));
}

/** The members of that member's epoch, as it last reported; empty before. */
export function membersAsOf(directory, member) {
  return JSON.parse(read(join(directory, `${member}.epoch`)) || '[]');
}

/** Whether that member last reported that it grants leases. */
export function isGranting(directory, member) {
  return read(join(directory, `${member}.granting`)) === '1';
}

/** Every health message of that member about a process of the same name, one per line. */
export function displacements(directory, member) {
  return read(join(directory, `${member}.displaced`));
}

/**
 * Makes the source follow proposals from now on. Earlier ones were meant for an earlier
 * incarnation.
 */
export function follow(source, directory) {
  const path = join(directory, `${source.member}.proposal`);
  let known = read(path);
  let granting = 0;
  const displaced = new Set();
  put(join(directory, `${source.member}.granting`), '0');
  const timer = setInterval(() => {
    const { measured, troubles } = source.health();
    const news = troubles.filter(
      ({ code, message }) => code === 'displaced' && !displaced.has(message),
    );
    for (const { message } of news) displaced.add(message);
    if (news.length > 0)
      put(join(directory, `${source.member}.displaced`), [...displaced].join('\n'));
    const now = measured.granting;
    if (now !== granting) put(join(directory, `${source.member}.granting`), `${now}`);
    granting = now;
    const wanted = read(path);
    if (wanted === known) return;
    known = wanted;
    source.reconfigure(JSON.parse(wanted).members).catch(() => undefined);
  }, periodMs);
  source.epoch$.subscribe({
    next: ({ members }) =>
      put(
        join(directory, `${source.member}.epoch`),
        JSON.stringify(members.map(({ member }) => member)),
      ),
    complete: () => clearInterval(timer),
  });
  return source;
}

/** Writes the file atomically. */
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
