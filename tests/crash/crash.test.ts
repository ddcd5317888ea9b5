import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDirectoryStore } from '../../apps/engine-server/src/store/directory.ts'
import { nodeDisk } from '../../apps/engine-server/src/store/disk.ts'
import { decodeRuleset } from '@engine/ruleset'
import { IS_FULL_RUN } from '../cases.testing.ts'
import { Model, NAMES } from './model.testing.ts'

const ROUNDS = IS_FULL_RUN ? 100 : 5
const WRITER = new URL('writer.testing.ts', import.meta.url).pathname

/** Compiled code of one writer serves the next: compiling is most of the cost of a start. */
let compiled: string
beforeAll(async () => {
  compiled = await mkdtemp(join(tmpdir(), 'engine-crash-compiled-'))
})
afterAll(() => rm(compiled, { recursive: true }))

/** Two directories at the same time: twice as many rounds in all. */
test.concurrent.each(['one', 'two'])(
  `directory %s: ${ROUNDS} times SIGKILL in the middle of writes loses nothing that was acknowledged`,
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'engine-crash-'))
    const model = new Model()
    for (let round = 0; round < ROUNDS; round++) {
      await writeUntilKilled(directory, model, Math.floor(Math.random() * 8), 3 + Math.random() * 20)
      await expectWhole(directory, model)
    }
    // A test that never got to write would show nothing.
    expect(model.acknowledged).toBeGreaterThanOrEqual(ROUNDS)
    await rm(directory, { recursive: true })
  },
  400_000,
)

/**
 * @param writes that are acknowledged before the moment of death is drawn, so that a slow machine gets to write too
 * @param milliseconds from then until the process is killed
 */
async function writeUntilKilled(directory: string, model: Model, writes: number, milliseconds: number): Promise<void> {
  const child = spawn(process.execPath, [WRITER, directory, String(model.next)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
  })
  const lines: string[] = []
  let rest = ''
  const written = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = `${rest}${chunk}`.split('\n')
      // The reader of a line that was cut off never had it in full.
      rest = parts.pop() ?? ''
      lines.push(...parts)
      if (lines.includes('{"ready":true}') && lines.filter((line) => line.startsWith('{"done"')).length >= writes)
        resolve()
    })
  })
  const closed = once(child, 'close')
  await Promise.race([written, closed])
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  child.kill('SIGKILL')
  await closed
  for (const line of lines) model.hear(line)
}

async function expectWhole(directory: string, model: Model): Promise<void> {
  const store = await openDirectoryStore({
    rulesDirectory: directory,
    maxVersions: 100_000,
    disk: nodeDisk,
    decode: async (document) => ({ faults: decodeRuleset(document).problems.map(({ message }) => message) }),
    decodeLater: async () => ({ faults: [] }),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    now: Date.now,
  })
  expect(store.rejected, 'no file is torn').toEqual([])
  for (const name of NAMES) {
    const versions = (await store.versions(name)).toReversed()
    expect(versions.map(({ seq }) => seq)).toEqual(versions.map((_, index) => index + 1))
    expect(
      model.check(
        name,
        store.get(name)?.version,
        versions.map(({ version }) => version),
      ),
    ).toBeUndefined()
  }
  const leftovers = (await readdir(directory)).filter((file) => file.includes('.tmp-'))
  expect(leftovers, 'what was half-written is gone').toEqual([])
  await store.close()
}
