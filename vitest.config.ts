import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take a minute, in the order in which they begin: else the last of them runs alone at the end. */
const SLOWEST = [
  'tests/restart/restart.test.ts',
  'tests/directory-lock.test.ts',
  'tests/filter/soundness.test.ts',
  'tests/filter/decision-sql.test.ts',
  'packages/ruleset/src/differential.test.ts',
  'tests/sync/reader.test.ts',
  'tests/sync/writer.test.ts',
  'tests/workers.test.ts',
  'tests/cli.test.ts',
  'packages/expression/src/differential.test.ts',
]

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = SLOWEST.findIndex((file) => moduleId.endsWith(file))
      return at < 0 ? SLOWEST.length : at
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => rank(left) - rank(right))
  }
}

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    // Limits only end what hangs: a busy machine may take ten times as long as an idle one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // One process for many files: each would else load the same modules again, which takes longer than most files.
    isolate: false,
    // The main process only waits: leaving it a core of its own would waste one of two.
    maxWorkers: '100%',
    sequence: { sequencer: SlowestFirst },
  },
})
