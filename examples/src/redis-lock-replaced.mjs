// One process at a time sends invoices: leadership replaces the lock.
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { lead } from '@leadership/core';
import { Redis } from 'ioredis';

const member = process.argv[2];
const log = (text) => console.log(new Date().toISOString().slice(14, 23), member, text);
const store = new Redis(process.env.STORE_URL); // what the work changes

// Each script refuses a token that is lower than the greatest one so far, also when it only reads.
const fenced = (script) => `if ARGV[1] < (redis.call('get', 'token') or '') then
  return redis.error_reply('FENCED a later leader has begun')
end
redis.call('set', 'token', ARGV[1])
${script}`;
const last = fenced(`return redis.call('get', 'last')`);
const send = fenced(`redis.call('set', 'last', ARGV[2])
return redis.call('rpush', 'sent', ARGV[2] .. ' by ' .. ARGV[3])`);

const connection = process.env.REDIS_URL;
await lead('redis:?group=invoices', sendInvoices, { member, connection });
await store.quit();

async function sendInvoices(term) {
  log(`leads in term ${term.token}`);
  while (!term.signal.aborted) await sendInvoice(term);
  log('leads no longer');
}

async function sendInvoice(term) {
  const token = String(term.token).padStart(19, '0'); // so that texts compare as numbers do
  const number = Number(await store.eval(last, 0, token)) + 1;
  log(`begins invoice ${number}`);
  await pause(1000);
  if (!term.isCurrent()) return;
  await store.eval(send, 0, token, number, member);
  log(`has sent invoice ${number}`);
}
