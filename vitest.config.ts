import { availableParallelism } from 'node:os'
import { defaultExclude, defineConfig } from 'vitest/config'
import { DurationsReporter, LongestFirst } from './tests/longest-first.testing.ts'
import { youngWorkers } from './tests/young-worker.testing.ts'

/** Tests that measure their own process. Code, memory and sockets that other files leave would be measured with it. */
const MEASURED = [
  'packages/expression/src/charges.test.ts',
  'packages/ruleset/src/execute/limits.test.ts',
  'apps/engine-server/src/store/deleted-names.test.ts',
  'tests/lifecycle/lifetime.test.ts',
]

/** Tests that need Vite: of modules with JSX, and with mocked modules. */
const TRANSFORMED = [
  'apps/studio/src/language/analysed-once.test.ts',
  'apps/studio/src/pages/import-report.test.ts',
  'apps/studio/src/review/approvals.test.ts',
  'apps/studio/src/review/shown-review.test.ts',
  'apps/studio/src/rollout/shown-rollout.test.ts',
  'apps/studio/src/table-editor/grid-keys.test.ts',
  'apps/studio/src/table-editor/grid-view.test.ts',
]

/** Tests of modules of the language have all functions, as importers of its packages do. */
const WHOLE_LANGUAGE = 'packages/expression/src/all-functions.ts'

export default defineConfig({
  test: {
    // Limits only end what hangs: a busy machine may take ten times as long as an idle one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // The main process only waits, and so do tests of servers in processes of their own most of the time.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: LongestFirst },
    ...(process.env['MUTANT_SWITCHES'] === undefined ? {} : { runner: './tests/mutants/switch-runner.testing.ts' }),
    ...(process.env['DURATIONS'] === 'write' ? { reporters: ['default', new DurationsReporter()] } : {}),
    projects: [
      { extends: true, test: { name: 'measured', include: MEASURED, isolate: true, setupFiles: [WHOLE_LANGUAGE] } },
      { extends: true, test: { name: 'transformed', include: TRANSFORMED, setupFiles: [WHOLE_LANGUAGE] } },
      {
        extends: true,
        test: {
          name: 'all others',
          include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...defaultExclude, ...MEASURED, ...TRANSFORMED],
          setupFiles: ['tests/compile-cache.testing.ts', 'tests/property-seed.testing.ts', WHOLE_LANGUAGE],
          globalSetup:
            process.env['MUTANT_SWITCHES'] === undefined
              ? ['tests/temporary-folder.testing.ts', 'tests/bundles.testing.ts']
              : [],
          // One process for many files: each would else load the same modules again, which takes longer than most files.
          isolate: false,
          pool: youngWorkers,
          // Node runs the modules as it does those of the programs, and keeps their compiled code: Vite transforms none.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
    ],
  },
})
