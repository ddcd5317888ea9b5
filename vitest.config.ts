import { availableParallelism } from 'node:os'
import { defaultExclude, defineConfig } from 'vitest/config'
import { DurationsReporter, LongestFirst } from './tests/longest-first.testing.ts'

/** Tests that measure their own process. Code, memory and sockets that other files leave would be measured with it. */
const MEASURED = [
  'packages/expression/src/charges.test.ts',
  'packages/ruleset/src/execute/limits.test.ts',
  'apps/engine-server/src/store/deleted-names.test.ts',
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
    sequence: { sequencer: LongestFirst },
    ...(process.env['DURATIONS'] === 'write' ? { reporters: ['default', new DurationsReporter()] } : {}),
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
