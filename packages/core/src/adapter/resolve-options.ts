// Completes and checks the options of every backend. Adapters call it before they connect.
import type { LeadershipAddress } from '../contract/address.ts';
import { check, show, withoutPassword } from '../contract/check-option.ts';
import type { Logger } from '../contract/logger.ts';
import type { CampaignOptions, SourceOptions } from '../contract/options.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { thresholdMsLimit } from '../engine/envelope.ts';
import { defaultMemberName } from '../process/default-member-name.ts';
import { isSignalName, neverReceived } from '../process/on-signals.ts';
import { nearest } from './nearest.ts';

/**
 * The default values. `thresholdMsMax` defaults to `thresholdMs`, and `member` to host name and
 * process id.
 */
export const defaults = {
  partitions: 1,
  thresholdMs: 3000,
  driftRate: 0.001,
  drainTimeoutMs: 25_000,
  campaign: true,
  guard: true,
  signals: false,
} as const;

/** The upper limit for M. A greater value is assumed to be a mistake. */
const partitionsMax = 65_536;
/**
 * The shortest T that an event loop can keep: delays of tens of milliseconds are common.
 * Milliseconds.
 */
const thresholdMsMin = 50;
/** The maximum size of the metadata as JSON, in bytes. */
const metadataBytesMax = 1024;
/** The maximum length of a group or member name, in characters. */
const nameLengthMax = 200;

/** The logger methods that a source calls. */
const logMethods = ['error', 'warn', 'info'] as const satisfies readonly (keyof Logger)[];

/** The known options. Any other name is rejected as a typing error. */
const known: Readonly<Record<keyof SourceOptions, true>> = {
  group: true,
  member: true,
  metadata: true,
  partitions: true,
  thresholdMs: true,
  thresholdMsMax: true,
  driftRate: true,
  drainTimeoutMs: true,
  campaign: true,
  guard: true,
  signals: true,
  log: true,
  load: true,
  signal: true,
};

/** What a backend adds to the common options: its own options, and stricter limits. */
export interface OptionLimits {
  /** The largest number of partitions that was tested on this backend, and the backend's name. */
  readonly partitions?: { readonly max: number; readonly backend: string };
  /** The names of its own options. The adapter checks them, or removes them first. */
  readonly own?: readonly string[];
  /**
   * Whether a member keeps `campaign.partitionsMax` (M13), as every backend does that `leaseBackend`
   * creates. Default `false`: the option is refused.
   */
  readonly keepsPartitionsMax?: boolean;
}

/**
 * Completes and checks the options that all backends share, before anything connects. All others must be
 * among those of the adapter.
 *
 * @throws LeadershipError `invalid-options`, with the option, its value and the rule that it
 * violates
 */
export function resolveOptions(options: SourceOptions, limits: OptionLimits = {}): ResolvedOptions {
  checkKnown(options, limits.own);
  const thresholdMs = options.thresholdMs ?? defaults.thresholdMs;
  const resolved = {
    group: options.group ?? '',
    member: options.member ?? defaultMemberName(),
    metadata: options.metadata ?? {},
    partitions: options.partitions ?? defaults.partitions,
    thresholdMs,
    thresholdMsMax: options.thresholdMsMax ?? thresholdMs,
    driftRate: options.driftRate ?? defaults.driftRate,
    drainTimeoutMs: options.drainTimeoutMs ?? defaults.drainTimeoutMs,
    ...campaignOf(options.campaign, limits),
    guard: options.guard ?? defaults.guard,
  };
  checkNames(resolved);
  checkNumbers(resolved);
  checkLimits(resolved, limits);
  checkMetadata(resolved);
  return { ...resolved, ...objectsOf(options) };
}

/**
 * Merges what a URL names into the options: the scalars of its query, and `place`, which the adapter
 * has read from the hosts and the path, under the names of its options. A value that contradicts the
 * URL is an error that shows both: if either won silently, members with one URL could use two places
 * and elect two leaders.
 *
 * @throws LeadershipError `invalid-options`
 */
export function mergeAddress<Place extends object = object>(
  { parameters }: LeadershipAddress,
  options: SourceOptions,
  place?: Place,
): SourceOptions & Place {
  const named = { ...place } as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(parameters))
    check(
      named[name] === undefined || isSame(named[name], value),
      `${name} is ${shown(named[name])} in the URL's path, but ${shown(value)} in its query`,
    );
  const { campaign, partitionsMax, ...others } = parameters;
  const stands = campaignIn(campaign, partitionsMax, options);
  const merged = { ...named, ...others, ...(stands !== undefined && { campaign: stands }) };
  // Both say that this member is a candidate, and the URL how.
  const isSaid = options.campaign === true && isFields(stands);
  const { campaign: _, ...rest } = options;
  return withNamed(isSaid ? rest : options, merged, '') as SourceOptions & Place;
}

/**
 * Returns what a URL says about the campaign. An observer leads nothing, so a command that only reads
 * may have the URL of a member with a limit.
 */
function campaignIn(
  campaign: unknown,
  partitionsMax: unknown,
  options: SourceOptions,
): SourceOptions['campaign'] {
  const isObserver = campaign === false || (campaign === undefined && options.campaign === false);
  if (partitionsMax === undefined || isObserver) return campaign as boolean | undefined;
  return { partitionsMax } as CampaignOptions;
}

/** Completes and checks the option `campaign`. */
function campaignOf(
  campaign: SourceOptions['campaign'] = defaults.campaign,
  limits: OptionLimits,
): Pick<ResolvedOptions, 'campaign' | 'partitionsMax'> {
  check(
    typeof campaign === 'boolean' || isFields(campaign),
    `campaign ${show(campaign)} must be true, false or an object such as { partitionsMax: 1 }`,
  );
  if (typeof campaign === 'boolean') return { campaign };
  const { partitionsMax, ...others } = campaign;
  const [unknown] = Object.keys(others);
  check(
    unknown === undefined,
    `unknown option campaign.${unknown}; the known one is partitionsMax`,
  );
  check(
    Number.isSafeInteger(partitionsMax) && partitionsMax >= 1,
    `campaign.partitionsMax ${show(partitionsMax)} must be a whole number from 1 up; to lead nothing, set campaign to false`,
  );
  const backend = limits.partitions?.backend ?? 'chosen';
  check(
    limits.keepsPartitionsMax === true,
    `campaign.partitionsMax ${partitionsMax} is not supported by the ${backend} backend, whose members cannot limit what they lead: leave it out, or use a database, files, etcd, NATS, Kubernetes or memory`,
  );
  return { campaign: true, partitionsMax };
}

/** Adds the values of a URL to options. Of two objects, it compares the fields. */
function withNamed(given: object, named: object, prefix: string): object {
  const merged: Record<string, unknown> = { ...given };
  for (const [name, value] of Object.entries(named)) {
    const other = merged[name];
    if (value === undefined) continue;
    if (isFields(value) && isFields(other)) {
      merged[name] = withNamed(other, value, `${prefix}${name}.`);
      continue;
    }
    check(
      other === undefined || isSame(value, other),
      `${prefix}${name} is ${shown(value)} in the URL, but ${shown(other)} in the options`,
    );
    merged[name] = value;
  }
  return merged;
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** The fields of an object may be secrets, and the text of a function is its program. */
function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) {
    const parts = value.map((one) => (isFields(one) ? JSON.stringify(one) : String(one)));
    return withoutPassword(parts.join());
  }
  return isFields(value) ? 'an object' : show(value);
}

function checkKnown(options: SourceOptions, own: readonly string[] = []): void {
  const names = [...own, ...Object.keys(known)];
  for (const name of Object.keys(options)) {
    const meant = nearest(name, names);
    const hint =
      meant === undefined ? `known options are ${names.join(', ')}` : `did you mean ${meant}?`;
    check(names.includes(name), `unknown option ${name}; ${hint}`);
  }
}

function checkNames({ group, member, guard }: Omit<ResolvedOptions, 'signals'>): void {
  check(isName(group), `group ${show(group)} must be a name of 1 to ${nameLengthMax} characters`);
  check(
    isName(member),
    `member ${show(member)} must be a name of 1 to ${nameLengthMax} characters`,
  );
  check(typeof guard === 'boolean', `guard ${show(guard)} must be true or false`);
}

function checkNumbers({
  partitions,
  thresholdMs,
  thresholdMsMax,
  driftRate,
  drainTimeoutMs,
}: Omit<ResolvedOptions, 'signals'>): void {
  check(
    Number.isSafeInteger(partitions) && partitions >= 1,
    `partitions ${show(partitions)} must be a whole number from 1 up`,
  );
  check(partitions <= partitionsMax, `partitions ${partitions} must be at most ${partitionsMax}`);
  check(
    Number.isFinite(thresholdMs),
    `thresholdMs ${show(thresholdMs)} must be a number of milliseconds`,
  );
  check(
    thresholdMs >= thresholdMsMin,
    `thresholdMs ${thresholdMs} must be at least ${thresholdMsMin}: an event loop cannot renew a shorter lease in time`,
  );
  check(
    Number.isFinite(thresholdMsMax),
    `thresholdMsMax ${show(thresholdMsMax)} must be a number of milliseconds`,
  );
  check(
    thresholdMs <= thresholdMsMax,
    `thresholdMs ${thresholdMs} must not exceed thresholdMsMax ${thresholdMsMax}`,
  );
  check(
    thresholdMsMax <= thresholdMsLimit,
    `thresholdMsMax ${thresholdMsMax} must not exceed a day, ${thresholdMsLimit}`,
  );
  check(
    isNumber(driftRate) && driftRate >= 0 && driftRate < 0.5,
    `driftRate ${show(driftRate)} must be at least 0 and less than 0.5`,
  );
  check(
    isNumber(drainTimeoutMs) && drainTimeoutMs >= 0,
    `drainTimeoutMs ${show(drainTimeoutMs)} must be a number of milliseconds from 0 up`,
  );
}

function checkLimits(
  { partitions }: Pick<ResolvedOptions, 'partitions'>,
  limits: OptionLimits,
): void {
  if (limits.partitions === undefined) return;
  const { max, backend } = limits.partitions;
  check(
    partitions <= max,
    `partitions ${partitions} is more than the ${max} that the ${backend} backend supports; map several roles onto one partition instead`,
  );
}

function checkMetadata({ metadata }: Omit<ResolvedOptions, 'signals'>): void {
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  const isWords = isObject && Object.values(metadata).every((word) => typeof word === 'string');
  check(isWords, 'metadata must be an object whose values are strings');
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length;
  check(
    bytes <= metadataBytesMax,
    `metadata is ${bytes} bytes as JSON; it must be at most ${metadataBytesMax}`,
  );
}

/** Returns the options that are objects with methods, after checking them. */
function objectsOf({
  signal,
  signals = defaults.signals,
  log,
}: SourceOptions): Pick<ResolvedOptions, 'signal' | 'signals' | 'log'> {
  checkSignal(signal);
  check(
    typeof signals === 'boolean' || (Array.isArray(signals) && signals.every(isSignalName)),
    `signals ${show(signals)} must be true, false or a list of signals such as SIGTERM`,
  );
  const never = neverReceived.find((name) => Array.isArray(signals) && signals.includes(name));
  check(
    never === undefined,
    `signals ${show(signals)} must not contain ${never}: no process receives it; leave it out`,
  );
  checkLog(log);
  return { signals, ...(signal && { signal }), ...(log !== undefined && { log }) };
}

function checkSignal(signal: AbortSignal | undefined): void {
  check(
    signal === undefined || signal instanceof AbortSignal,
    `signal ${show(signal)} must be an AbortSignal`,
  );
}

function checkLog(log: unknown): void {
  const isLogger =
    typeof log === 'object' &&
    log !== null &&
    logMethods.every((name) => typeof Reflect.get(log, name) === 'function');
  const rule = `must be false or a logger with the methods ${logMethods.join(', ')}, such as console`;
  check(log === undefined || log === false || isLogger, `log ${show(log)} ${rule}`);
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && name.length > 0 && name.length <= nameLengthMax;
}

/**
 * Returns whether the value is a number. JavaScript would compare a string with numbers, and
 * concatenate it.
 */
function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}
