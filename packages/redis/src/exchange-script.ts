// The script of an exchange: compares the position, makes the changes, and reads what has changed.
import { createHash } from 'node:crypto';

/** A script, as the server knows it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** Removed rows that are remembered. A reader whose position is older reads everything. */
const removedMax = 1024;

/**
 * Keys: a hash with the rows; a sorted set with the number of the last change of each row; a sorted set
 * with that of the last removed rows. Its lowest member is the history: a random text,
 * since when the server had it, and the replication id of the server, which is another one after a
 * restart and on a promoted replica.
 *
 * Arguments: `w`, or `r` for an observer, which may lack every right to write; whether all rows are
 * wanted; the history and the number of the position; a random text; whether `WAIT` follows; the channel
 * and the notification; the seconds for which lost changes count (M6); then of each change the name, the expected and the new text, where `=` precedes
 * a text that exists, and whether it is awaited.
 *
 * - A replica refuses every script that writes, also if it removes nothing: its state may be old.
 * - `WAIT` needs a write of its own connection: an answer whose rows too few replicas have is none.
 * - A number below that of the position shows that the rows went back. They get another history then, so
 *   that every reader decides alike.
 * - The first reading of rows of a young history may lack changes that were acknowledged. Where the
 *   history began without rows, each of them was created in it, and its readers have waited (M4).
 * - What a person has added or removed shows in the number of rows, and is marked as changed then.
 * - The number is set before the row, and the notification comes last: a script that fails half-way
 *   keeps what it has done.
 * - The rows that the request itself has changed are left out: its sender knows them.
 * - A value that is not UTF-8 is shown as a text that stands for its bytes. Otherwise clients would
 *   change its bytes, and no member could replace it.
 */
const text = `local rows, changed, removed = KEYS[1], KEYS[2], KEYS[3]
local mode, wanted, id, count, nonce, waits, channel, notification, doubt = unpack(ARGV, 1, 9)
count = tonumber(count)

local sequences = {'[\\194-\\223]', '\\224[\\160-\\191]', '[\\225-\\236\\238\\239][\\128-\\191]',
  '\\237[\\128-\\159]', '\\240[\\144-\\191][\\128-\\191]', '[\\241-\\243][\\128-\\191][\\128-\\191]',
  '\\244[\\128-\\143][\\128-\\191]'}
local function shown(value)
  if not value or not string.find(value, '[\\128-\\255]') then return value end
  local rest = value
  for _, sequence in ipairs(sequences) do rest = string.gsub(rest, sequence .. '[\\128-\\191]', ' ') end
  if not string.find(rest, '[\\128-\\255]') then return value end
  return 'bytes:' .. string.gsub(value, '.', function(one) return string.format('%02x', string.byte(one)) end)
end

local info = redis.pcall('INFO', 'replication')
local server = type(info) == 'string' and string.match(info, 'master_replid:(%x+)') or ''
if mode == 'r' then
  if type(info) ~= 'string' then return info end
  if not string.find(info, 'role:master', 1, true) then
    return redis.error_reply('READONLY INFO says that this is no master') end
end

local function uptime()
  return server ~= '' and tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)'))
end
local function number(key, index)
  return tonumber(redis.call('ZRANGE', key, index, index, 'WITHSCORES')[2]) or 0
end
local lowest = redis.call('ZRANGE', removed, 0, 0, 'WITHSCORES')
local history = tonumber(lowest[2] or 0) < 0 and lowest[1] or ''
local last = math.max(number(changed, -1), number(removed, -1), 0)
local function mark(key, name)
  last = last + 1
  redis.call('ZADD', key, string.format('%.0f', last), name)
end
local isBack = id == history and count > last
local isStale = isBack or history == '' or (server ~= '' and string.sub(history, -#server) ~= server)
local isFirst = id == '' and #ARGV < 10
local isSame = isFirst or (id ~= '' and id == history and not isStale)
if isStale and mode == 'w' then
  if history ~= '' then redis.call('ZREM', removed, history) end
  local since = redis.call('HLEN', rows) == 0 and 'empty' or uptime() or 'unknown'
  history = nonce .. ' ' .. since .. ' ' .. server
  redis.call('ZADD', removed, -1, history)
elseif waits == '1' then
  redis.call('ZADD', removed, tonumber(lowest[2]) - 1, history)
end

local isDoubted = false
if isFirst and redis.call('HLEN', rows) > 0 then
  local since = string.match(history, ' (%S+) ')
  local isAged = tonumber(since) and uptime() and uptime() - since > tonumber(doubt)
  isDoubted = server == '' or (since ~= 'empty' and not isAged)
end

local isMarked = redis.call('HLEN', rows) == redis.call('ZCARD', changed)
if not isMarked and mode == 'w' then
  local gone = {}
  for _, name in ipairs(redis.call('ZRANGE', changed, 0, -1)) do gone[name] = true end
  local found = redis.call('HGETALL', rows)
  for index = 1, #found, 2 do
    if gone[found[index]] then gone[found[index]] = nil else mark(changed, found[index]) end
  end
  for name in pairs(gone) do
    mark(removed, name)
    redis.call('ZREM', changed, name)
  end
  isMarked = true
end

local outcomes, isDone, isNotified = {}, {}, false
for index = 10, #ARGV, 4 do
  local name, expected, new, isAwaited = unpack(ARGV, index, index + 3)
  local found = isSame and shown(redis.call('HGET', rows, name))
  local isMade = isSame and (found and '=' .. found or '') == expected
  table.insert(outcomes, isMade and '1' or '0')
  isDone[name] = isMade
  isNotified = isNotified or (isMade and isAwaited == '1')
  if isMade and new == '' then
    mark(removed, name)
    redis.call('ZREM', changed, name)
    redis.call('HDEL', rows, name)
  elseif isMade then
    mark(changed, name)
    redis.call('HSET', rows, name, string.sub(new, 2))
  end
end

local over = redis.call('ZCARD', removed) - ${removedMax + 1}
if mode == 'w' then redis.call('ZREMRANGEBYRANK', removed, 1, math.max(over, 0)) end
local isForgotten = over >= 0 and count < number(removed, 1) - 1
local isWhole = isFirst or not isSame or not isMarked or isForgotten or wanted == '1'
local answer = {history, string.format('%.0f', last), isWhole and 1 or 0,
  (isDoubted or not isSame) and 1 or 0,
  table.concat(outcomes)}
if isWhole then
  local found = redis.call('HGETALL', rows)
  for index = 1, #found, 2 do
    table.insert(answer, found[index])
    table.insert(answer, shown(found[index + 1]))
  end
else
  local function add(name)
    table.insert(answer, name)
    table.insert(answer, shown(redis.call('HGET', rows, name)))
  end
  for name, isMade in pairs(isDone) do if not isMade then add(name) end end
  for _, key in ipairs({changed, removed}) do
    local since = '(' .. string.format('%.0f', count)
    for _, name in ipairs(redis.call('ZRANGE', key, since, '+inf', 'BYSCORE')) do
      if isDone[name] == nil then
        isDone[name] = true
        add(name)
      end
    end
  end
end
if isNotified and channel ~= '' then
  redis.call('PUBLISH', channel, notification .. ' ' .. table.concat(outcomes))
end
return answer`;

/** The script. It needs Redis 6.2. */
export const exchangeScript: Script = {
  text,
  sha: createHash('sha1').update(text).digest('hex'),
};
