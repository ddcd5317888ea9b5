import { availableParallelism } from 'node:os'
import { defaultExclude, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest in a full run, in the order in which they begin: else the last of them runs alone at the end. */
const SLOWEST = [
  'tests/platform/rollout-rounds.test.ts',
  'tests/restart/restart.test.ts',
  'packages/ruleset/src/differential.test.ts',
  'tests/crash/crash.test.ts',
  'tests/directory-lock.test.ts',
  'tests/filter/decision-sql.test.ts',
  'tests/filter/soundness.test.ts',
  'tests/sync/reader.test.ts',
  'packages/expression/src/differential.test.ts',
  'packages/authoring/src/edit/sub-rules.test.ts',
  'packages/authoring/src/differential.test.ts',
  'packages/authoring/src/draft/merge.test.ts',
  'tests/workers.test.ts',
  'tests/platform/rights.test.ts',
  'tests/platform/fuzz.test.ts',
  'tests/lifecycle/start.test.ts',
  'tests/lifecycle/dev.test.ts',
  'tests/studio/stories.test.ts',
  'tests/platform/secrets.test.ts',
  'tests/platform/bad-input.test.ts',
  'packages/ruleset/src/decode/sub-rule-meaning.test.ts',
  'tests/platform/check-export.test.ts',
  'tests/platform/release-command.test.ts',
  'tests/platform/archives.test.ts',
  'tests/studio/access.test.ts',
  'packages/interchange/src/dmn/differential.test.ts',
  'tests/platform/rollouts.test.ts',
  'tests/platform/rollout-latency.test.ts',
  'tests/sync/faults.test.ts',
  'packages/authoring/src/from-engine/round-trip.test.ts',
  'tests/shown.test.ts',
  'tests/lifecycle/ends.test.ts',
  'tests/watch.test.ts',
  'tests/signing/tools.test.ts',
  'packages/signing/src/binary.test.ts',
  'tests/lifecycle/watchdog.test.ts',
  'tests/sync/cluster.test.ts',
  'tests/cli.test.ts',
  'tests/sync/writer.test.ts',
  'apps/engine-server/src/sync/simulation.test.ts',
  'tests/http/tenant-changes.test.ts',
  'tests/maintenance.test.ts',
  'tests/platform/identity.test.ts',
  'tests/platform/backup.test.ts',
  'tests/platform/data-directory.test.ts',
  'tests/sync/connections.test.ts',
  'tests/sync/cluster-rounds.test.ts',
  'tests/platform/crash.test.ts',
  'tests/sync/changes.test.ts',
  'tests/sync/other-writer.test.ts',
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

/** Tests that measure their own process. Code, memory and sockets that other files leave would be measured with it. */
const MEASURED = [
  'packages/expression/src/charges.test.ts',
  'packages/ruleset/src/execute/limits.test.ts',
  'tests/lifecycle/lifetime.test.ts',
]

export default defineConfig({
  test: {
    // Limits only end what hangs: a busy machine may take ten times as long as an idle one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // The main process only waits, and so do tests of servers in processes of their own for a third of their time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: SlowestFirst },
    projects: [
      { extends: true, test: { name: 'measured', include: MEASURED, isolate: true } },
      {
        extends: true,
        test: {
          name: 'all others',
          include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...defaultExclude, ...MEASURED],
          setupFiles: ['tests/compile-cache.testing.ts'],
          globalSetup: ['tests/temporary-folder.testing.ts', 'tests/bundles.testing.ts'],
          // One process for many files: each would else load the same modules again, which takes longer than most files.
          isolate: false,
        },
      },
    ],
  },
})
