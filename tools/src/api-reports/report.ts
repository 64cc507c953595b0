import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from '@microsoft/api-extractor';
import type { EntryPoint } from './entry-point.ts';

/** Where a package keeps its committed reports. */
export const reportFolder = 'etc';

/** Extracts one entry point's public surface. `check` compares and changes nothing; else the committed report is brought up to date. */
export function report(folder: string, entry: EntryPoint, check: boolean): boolean {
  mkdirSync(join(folder, reportFolder), { recursive: true });
  const extractorConfig = ExtractorConfig.prepare({
    configObject: configuration(folder, entry),
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
  });
  const { succeeded } = Extractor.invoke(extractorConfig, { localBuild: !check, printApiReportDiff: true });
  return succeeded;
}

function configuration(folder: string, { report, declarations }: EntryPoint): IConfigFile {
  return {
    projectFolder: folder,
    mainEntryPointFilePath: declarations,
    // The consumer's view: other packages by their built declarations, so no `@leadership/source` condition here.
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
      // Doc comments are typedoc's to judge: the report is about the surface.
      tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      extractorMessageReporting: {
        default: { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true },
        // It looks at one entry point at a time, so what a sibling exports seems forgotten. Typedoc sees them all and fails on what really is.
        'ae-forgotten-export': { logLevel: ExtractorLogLevel.None },
        'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
        // A report marks such a member `(undocumented)` itself. The message would add the line of its source, which every edit moves.
        'ae-undocumented': { logLevel: ExtractorLogLevel.None },
        'ae-unresolved-link': { logLevel: ExtractorLogLevel.None },
      },
    },
  };
}
