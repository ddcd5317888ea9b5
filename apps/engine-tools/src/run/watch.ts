import { watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

/** Editors replace a file in several steps. */
const SETTLING_MS = 50

/**
 * Runs `action`, and again after each change of one of the files, also of files that are replaced. Resolves when the process is
 * interrupted.
 */
export async function watchFiles(files: readonly string[], action: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let isRunning = true
  let isDue = false
  const runDue = async () => {
    do {
      isDue = false
      isRunning = true
      // oxlint-disable-next-line no-await-in-loop -- one run at a time
      await action()
    } while (isDue)
    isRunning = false
  }
  const changed = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      isDue = true
      if (!isRunning) void runDue()
    }, SETTLING_MS)
  }
  const names = Map.groupBy(files, (file) => dirname(resolve(file)))
  const watchers = Array.from(names, ([folder, inFolder]) => {
    const wanted = new Set(inFolder.map((file) => basename(file)))
    return watch(folder, (_event, name) => {
      if (name === null || wanted.has(name)) changed()
    })
  })
  await runDue()
  process.stderr.write(`watching ${files.join(', ')}: Ctrl-C ends\n`)
  await new Promise<void>((end) => {
    process.once('SIGINT', end).once('SIGTERM', end)
  })
  clearTimeout(timer)
  for (const watcher of watchers) watcher.close()
}
