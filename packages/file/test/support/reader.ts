import type { Exchanged, RowChange, Rows } from '@leadership/core/adapter';
import { type RecordingHost, recordingHost } from '@leadership/testkit/adapter';
import { scratchAt } from '../../src/disk/scratch.ts';
import { type Layout, layoutOf } from '../../src/layout.ts';
import { type FileRowsOptions, fileRows } from '../../src/rows/rows.ts';

export interface ReaderOptions extends Partial<Omit<FileRowsOptions, 'directory' | 'scratchOf'>> {
  /** Whether it may create the directory. Default: `true`. */
  readonly mayCreate?: boolean;
  /** Runs before a version is linked into place, where a member may be paused. */
  readonly paused?: () => Promise<void>;
}

/** The rows of a group as one member reads and changes them, with its position. */
export class Reader implements AsyncDisposable {
  readonly rows: Rows;
  readonly host: RecordingHost;
  readonly layout: Layout;
  readonly ignored: string[] = [];
  /** The texts that it has read. */
  readonly view: Map<string, string> = new Map();
  readonly #mayCreate: boolean;
  #position: unknown;

  constructor(directory: string, { mayCreate = true, paused, ...options }: ReaderOptions) {
    const { group = 'g', thresholdMs = 20_000, thresholdMsMax = 20_000 } = options;
    this.host = {
      ...recordingHost('m'),
      ignored: (what) => void this.ignored.push(what),
    };
    this.layout = layoutOf(directory, group);
    this.#mayCreate = mayCreate;
    const limits = { group, thresholdMs, thresholdMsMax };
    const scratchOf = pausing(paused);
    this.rows = fileRows({ directory, ...options, ...limits, scratchOf }, this.host);
  }

  open(mayCreate: boolean = this.#mayCreate): Promise<void> {
    return this.rows.open?.(new AbortController().signal, mayCreate) ?? Promise.resolve();
  }

  async exchange(...changes: readonly RowChange[]): Promise<Exchanged> {
    const { signal } = new AbortController();
    const answer = await this.rows.exchange({ changes, since: this.#position }, signal);
    this.#position = answer.position;
    if (answer.isWhole) this.view.clear();
    for (const [name, text] of answer.rows)
      if (text === null) this.view.delete(name);
      else this.view.set(name, text);
    return answer;
  }

  /** Makes one change. Resolves with whether it was made. */
  async change(name: string, expected: string | null, text: string | null): Promise<boolean> {
    return (await this.exchange({ name, expected, text })).outcomes[0] === true;
  }

  /** Whether the next answer shows another history. */
  async isRestarted(): Promise<boolean> {
    return (await this.exchange()).isRestarted === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rows.close();
  }
}

/** Opens the rows of a directory. */
export async function openReader(directory: string, options: ReaderOptions = {}): Promise<Reader> {
  const reader = new Reader(directory, options);
  await reader.open();
  return reader;
}

function pausing(paused: ReaderOptions['paused']): typeof scratchAt {
  if (paused === undefined) return scratchAt;
  return (directory) => {
    const scratch = scratchAt(directory);
    const put = async (text: string): Promise<string> => {
      if (text !== '') await paused();
      return scratch.put(text);
    };
    return { ...scratch, put };
  };
}
