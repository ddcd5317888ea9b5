import { join } from 'node:path'
import { createVitest } from 'vitest/node'

/** The process of `TestRunner`: one vitest that runs the files that each message names. */
const vitest = await createVitest('test', { watch: false, reporters: [], passWithNoTests: true })
await vitest.standalone()

/** The source of the last run, which was restored after it. */
let restored: readonly string[] = []

process.on('message', (message: { readonly files: readonly string[]; readonly changed: readonly string[] }) => {
  void run(message.files, message.changed)
})
// The program was killed: its process group is this process with the workers and servers of the tests.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
process.send?.('ready')

/** Runs the files one after the other, up to the first that fails. */
async function run(files: readonly string[], changed: readonly string[]): Promise<void> {
  for (const file of new Set([...changed, ...restored])) vitest.invalidateFile(join(process.cwd(), file))
  restored = changed
  for (const file of files) if (!(await isPassed(file))) return void process.send?.('failed')
  process.send?.('passed')
}

async function isPassed(file: string): Promise<boolean> {
  const path = join(process.cwd(), file)
  const specifications = (await vitest.globTestSpecifications([file])).filter(({ moduleId }) => moduleId === path)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const own = testModules.find(({ moduleId }) => moduleId === path)
  // A file whose tests were skipped has noticed nothing.
  return unhandledErrors.length === 0 && own?.state() === 'passed'
}
