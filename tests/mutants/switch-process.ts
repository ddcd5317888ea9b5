import { join } from 'node:path'
import { createVitest, type TestSpecification } from 'vitest/node'

/** The process that tries switched mistakes: one vitest that runs these files in this order, in one worker. */
const files = process.argv.slice(2)
const rank = new Map(files.map((file, index) => [join(process.cwd(), file), index]))

class InOrder {
  shard(specifications: TestSpecification[]): TestSpecification[] {
    return specifications
  }
  sort(specifications: TestSpecification[]): TestSpecification[] {
    const at = ({ moduleId }: TestSpecification) => rank.get(moduleId) ?? 0
    return specifications.toSorted((left, right) => at(left) - at(right))
  }
}

process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
const vitest = await createVitest('test', {
  watch: false,
  reporters: process.env['MUTANT_REPORT'] === undefined ? [] : ['default'],
  passWithNoTests: true,
  maxWorkers: 1,
  bail: process.env['MUTANT_BAIL'] === undefined ? 0 : 1,
  sequence: { sequencer: InOrder },
})
await vitest.standalone()
const found = await vitest.globTestSpecifications(files)
const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
  found.filter(({ moduleId }) => rank.has(moduleId)),
)
const failed = testModules.filter((module) => module.state() === 'failed')
process.send?.({
  failed: failed.map(({ relativeModuleId }) => relativeModuleId),
  errors: unhandledErrors.map(String),
  modules: testModules.length,
})
