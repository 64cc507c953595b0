// One process at a time sends invoices: a lock in Redis, as many programs have it.
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';

const name = process.argv[2];
const log = (text) => console.log(new Date().toISOString().slice(14, 23), name, text);
const redis = new Redis(process.env.REDIS_URL); // the lock
const store = new Redis(process.env.STORE_URL); // what the work changes
const ttlMs = 3000;
const secret = randomUUID();
const ifMine = (change) =>
  `if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call(${change})`;

for (;;) {
  if ((await redis.set('lock', secret, 'PX', ttlMs, 'NX')) === 'OK') await lead();
  await pause(500);
}

async function lead() {
  log('has the lock');
  let hasLock = true;
  const timer = setInterval(async () => {
    hasLock = (await redis.eval(ifMine(`'pexpire', KEYS[1], ${ttlMs}`), 1, 'lock', secret)) === 1;
  }, ttlMs / 3);
  while (hasLock) await sendInvoice();
  clearInterval(timer);
  log('has lost the lock');
}

async function sendInvoice() {
  const number = Number(await store.get('last')) + 1;
  log(`begins invoice ${number}`);
  await pause(1000);
  await store.multi().set('last', number).rpush('sent', `${number} by ${name}`).exec();
  log(`has sent invoice ${number}`);
}
