import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readStartFile } from './start-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'engine-start-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const LIMITS = { bytes: 1_000_000, pipeMs: 200 }
let pipes = 0
function pipe(): string {
  const path = join(folder, `pipe-${pipes++}`)
  execFileSync('mkfifo', [path])
  return path
}

describe('a file that an option names', () => {
  test.each([
    ['empty', ''],
    ['short', 'a:b:c\n'],
    ['of several chunks', 'x'.repeat(300_000)],
    ['as large as a file may be', 'x'.repeat(LIMITS.bytes)],
  ])('is read whole when it is %s', async (name, text) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    expect((await readStartFile('--tokens', path, LIMITS)).toString()).toBe(text)
  })

  test('may be a pipe whose writer comes later and writes in parts', async () => {
    const path = pipe()
    const reading = readStartFile('--tokens', path, { ...LIMITS, pipeMs: 60_000 })
    spawn('sh', ['-c', `exec > "$0"; echo a; sleep 0.1; echo b`, path])
    expect((await reading).toString()).toBe('a\nb\n')
  })

  test.each<[what: string, path: () => string, reason: string]>([
    ['a pipe that nothing is written to', pipe, 'nothing was written to it within 0.2 s'],
    ['a device without an end', () => '/dev/zero', 'it has more than 1000000 bytes'],
    ['a folder', () => folder, 'it is a directory'],
    ['missing', () => join(folder, 'missing'), 'no such file or directory'],
  ])('that is %s ends the start with the reason', async (_what, at, reason) => {
    const path = at()
    await expect(readStartFile('--tokens', path, LIMITS)).rejects.toMatchObject({
      name: 'StartError',
      message: `--tokens: cannot use \`${path}\`: ${reason}`,
    })
  })
})
