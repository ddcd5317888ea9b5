import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { blocksOf, ROOT } from '../docs/page.testing.ts'

const PAGE = 'docs/platform/quick-start.md'

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

test('the quick start works, from nothing to a decision through the platform', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'engine-quick-start-'))
  const blocks = blocksOf(PAGE).filter(({ language }) => language === 'sh')
  const script = blocks
    .map(({ text }) => text)
    .join('\n')
    .replaceAll('3001', await freePort())
    .replaceAll('8080', await freePort())
    .replaceAll('npx --no-install ', '')
    .replaceAll('--seed-dir examples', `--seed-dir ${join(ROOT, 'examples')}`)
    // Output of a program while the shell waits for it belongs to its log.
    .replaceAll(/ &$/gm, ' >> log 2>&1 &')
  const path = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  const bash = promisify(execFile)('bash', ['--norc', '-c', `trap 'kill $(jobs -p); wait' EXIT; set -eu\n${script}`], {
    cwd: directory,
    env: { PATH: path, HOME: directory },
  })
  try {
    const { stdout } = await bash
    const answers = blocks.flatMap(({ text }) => text.match(/(?<=^# )\{.*$/gm) ?? [])
    const [decided = '', published = '', refused = ''] = answers.map((answer) =>
      answer.slice(0, answer.search(/,"duration_us|: …/)),
    )
    expect(decided).toContain('VIP_GOLD_PLUS')
    expect(stdout).toContain(decided)
    expect(published).toContain('"fee":4.9')
    expect(stdout).toContain(published)
    expect(stdout).toContain('binding.bound')
    expect(refused).toContain('sign in')
    expect(stdout).toContain(refused)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
