// Writes the API report of one entry point with API Extractor, or compares it.
import { join } from 'node:path';
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type IConfigFile,
} from '@microsoft/api-extractor';
import type { EntryPoint } from './entry-point.ts';

/** The directory of a package's committed reports. */
export const reportFolder = 'etc';

/**
 * Extracts the public API of one entry point. With `check`, compares it with the committed report
 * and changes nothing; otherwise updates the report. Returns whether the report is correct.
 */
type Report = (folder: string, entry: EntryPoint, check: boolean) => boolean;

/**
 * Returns what reports on these entry points. The compiler reads all their declarations once: that
 * takes longer than all reports.
 */
export function reporter(entries: readonly EntryPoint[]): Report {
  let compilerState: CompilerState | undefined;
  return (folder, entry, check) => {
    const extractorConfig = ExtractorConfig.prepare({
      configObject: configuration(folder, entry),
      configObjectFullPath: undefined,
      packageJsonFullPath: join(folder, 'package.json'),
    });
    compilerState ??= CompilerState.create(extractorConfig, {
      additionalEntryPoints: entries.map(({ declarations }) => declarations),
    });
    const { succeeded } = Extractor.invoke(extractorConfig, {
      compilerState,
      localBuild: !check,
      printApiReportDiff: true,
    });
    return succeeded;
  };
}

function configuration(folder: string, { report, declarations }: EntryPoint): IConfigFile {
  return {
    projectFolder: folder,
    mainEntryPointFilePath: declarations,
    // The view of a consumer: other packages resolve to their built declarations, so the
    // `@leadership/source` condition is absent.
    compiler: {
      overrideTsconfig: {
        compilerOptions: {
          target: 'es2022',
          lib: ['es2023', 'esnext.disposable'],
          types: ['node'],
          module: 'nodenext',
          strict: true,
          skipLibCheck: true,
        },
        files: [declarations],
      },
    },
    apiReport: { enabled: true, reportFileName: report, reportFolder, reportTempFolder: 'temp' },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    newlineKind: 'lf',
    messages: {
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      // typedoc checks doc comments. The report covers the API only.
      tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      extractorMessageReporting: {
        default: { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true },
        // The extractor sees one entry point at a time, so it reports types that another entry
        // point exports. typedoc sees all entry points and fails on types that are really missing.
        'ae-forgotten-export': { logLevel: ExtractorLogLevel.None },
        'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
        // The report itself marks such members `(undocumented)`. The message would add source
        // lines, which change with every edit.
        'ae-undocumented': { logLevel: ExtractorLogLevel.None },
        'ae-unresolved-link': { logLevel: ExtractorLogLevel.None },
      },
    },
  };
}
