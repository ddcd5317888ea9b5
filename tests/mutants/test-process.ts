import { join } from 'node:path'
import { createVitest } from 'vitest/node'

/** The process of `TestRunner`: one vitest that runs the files that each message names. */
const vitest = await createVitest('test', { watch: false, reporters: [], bail: 1, passWithNoTests: true })
await vitest.standalone()

process.on('message', (message: { readonly files: readonly string[]; readonly changed: readonly string[] }) => {
  void run(message.files, message.changed)
})
// The program was killed: its process group is this process with the workers and servers of the tests.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
process.send?.('ready')

async function run(files: readonly string[], changed: readonly string[]): Promise<void> {
  for (const file of changed) vitest.invalidateFile(join(process.cwd(), file))
  const wanted = new Set(files.map((file) => join(process.cwd(), file)))
  const specifications = (await vitest.globTestSpecifications([...files])).filter(({ moduleId }) =>
    wanted.has(moduleId),
  )
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  // Modules of earlier runs are among them, as they ended then.
  const own = testModules.filter(({ moduleId }) => wanted.has(moduleId))
  const isPassed = unhandledErrors.length === 0 && own.length === files.length && own.every((module) => module.ok())
  process.send?.(isPassed ? 'passed' : 'failed')
}
