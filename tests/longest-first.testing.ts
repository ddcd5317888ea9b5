import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node'

const ROOT = join(import.meta.dirname, '..')
const FILE = join(import.meta.dirname, 'durations.json')
/** Files that take less are not kept: their order does not matter. */
const MIN_SECONDS = 3

/** Seconds of test files in a full run, by their paths from the root: the order of a checkout that has no results yet. */
export type Durations = Readonly<Record<string, number>>

export function readDurations(): Durations {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Durations
}

/**
 * The longest files of each project first: else the last of them runs alone at the end. The durations are those of this
 * checkout's last runs, which vitest keeps, then those of `tests/durations.json`.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const committed = readDurations()
    const seconds = (file: TestSpecification) => {
      const known = this.ctx.cache.getTestSpecificationResult(file)
      return known === undefined ? (committed[relative(ROOT, file.moduleId)] ?? 0) : known.duration / 1000
    }
    const sorted = await super.sort(files)
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap((own) =>
      own.toSorted((left, right) => seconds(right) - seconds(left)),
    )
  }
}

/** Writes `tests/durations.json` after a full run. */
export class DurationsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    writeFileSync(FILE, durationsText(modules))
  }
}

/** @internal */
export function durationsText(modules: readonly Pick<TestModule, 'moduleId' | 'diagnostic'>[]): string {
  const rows = modules
    .map((module) => [relative(ROOT, module.moduleId), Math.round(module.diagnostic().duration / 1000)] as const)
    .filter(([, seconds]) => seconds >= MIN_SECONDS)
    .toSorted(([, left], [, right]) => right - left)
  return `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`
}
