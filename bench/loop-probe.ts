import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into a server (`--import`): measures for how long its event loop is held. On SIGUSR2 it writes the longest time since
 * the signal before to the file `LOOP_PROBE`, in milliseconds: of processor time, which other programs do not lengthen, and of
 * the wall.
 */
const file = process.env['LOOP_PROBE']
if (isMainThread && file !== undefined) {
  const processor = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const longest = { processor: 0, wall: 0 }
  let [since, at] = [processor(), performance.now()]
  setInterval(() => {
    const [spent, now] = [processor(), performance.now()]
    longest.processor = Math.max(longest.processor, spent - since)
    longest.wall = Math.max(longest.wall, now - at)
    since = spent
    at = now
  }, 1).unref()
  process.on('SIGUSR2', () => {
    writeFileSync(file, JSON.stringify(longest))
    longest.processor = longest.wall = 0
  })
}
