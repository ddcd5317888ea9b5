import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
/** Ends a program that hangs. */
const LIMIT_MS = 600_000

/** The demonstration in a process group and a separate folder. */
function startDemo() {
  const folder = mkdtempSync(join(tmpdir(), 'engine-demo-test-'))
  const child = spawn(process.execPath, [join(ROOT, 'examples/release/main.ts')], {
    detached: true,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pid } = child
  if (pid === undefined) throw new Error('the demonstration has not started')
  const isAlive = () => {
    try {
      return process.kill(-pid, 0)
    } catch {
      return false
    }
  }
  onTestFinished(() => {
    if (isAlive()) process.kill(-pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  return { child, isAlive, left: () => readdirSync(folder) }
}

test(
  '`npm run demo:release` shows a bad change that is found and rolled back, and leaves nothing',
  { timeout: LIMIT_MS },
  async () => {
    const { child, isAlive, left } = startDemo()
    const [said, complaints, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    expect(code, said + complaints).toBe(0)
    expect(complaints).toBe('')
    const told = [
      /^\S+  release 1 is live: customers pay 4.90 below 50$/m,
      /^\S+  release 2 divides by the number of items; carts without items were forgotten$/m,
      /^\S+    the engine: delivery-fee\.r2 is live$/m,
      /^\S+    the candidate gets 20 % of the customers$/m,
      /^\S+    verdict: rollback \(the candidate fails more often\): [1-9]\d* of its customers failed, 0 of the others; evidence [1-9]\d+/m,
      /^\S+  release 2 is rolled back$/m,
      /^\S+  [1-9]\d* customers since then, 0 errors$/m,
    ]
    const places = told.map((line) => said.search(line))
    expect(places, said).not.toContain(-1)
    expect(places, said).toEqual(places.toSorted((before, after) => before - after))
    expect([isAlive(), left()]).toEqual([false, []])
  },
)

test('the demonstration ends what it has started when it is interrupted', { timeout: LIMIT_MS }, async () => {
  const { child, isAlive, left } = startDemo()
  const exit = once(child, 'exit')
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
  expect(said).toContain('starting a platform')
  await expect.poll(left).toHaveLength(1)
  child.kill('SIGINT')
  child.stdout.resume()
  expect(await exit).toEqual([130, null])
  expect([isAlive(), left()]).toEqual([false, []])
})
