import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { systemProgram } from '../programs.testing.ts'
import { blocksOf, ROOT } from './page.testing.ts'
import { commandsOf, localOptions } from './shell.testing.ts'

/** Executes docs/prove-a-decision.md from top to bottom, and compares the output of each block with the text below it. */
const PAGE = 'docs/prove-a-decision.md'

const directory = mkdtempSync(join(tmpdir(), 'engine-prove-'))
let server: TestServer | undefined
afterAll(async () => {
  await server?.stop()
  rmSync(directory, { recursive: true })
})

/** Runs a block in a shell, with the programs of this repository and the server of this test. */
function runShell(block: string): Promise<string> {
  const script = [
    'set -eu -o pipefail',
    'npx() { shift; local tool=$1; shift; "$tool" "$@"; }',
    block.replaceAll('localhost:8080', server?.url ?? ''),
  ].join('\n')
  const env = { ...process.env, PATH: [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter) }
  return new Promise((resolve, reject) => {
    execFile('bash', ['--norc', '-c', script], { cwd: directory, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${block}\n${stdout}${stderr}`, { cause: error }))
    })
  })
}

/** The text of a page as a pattern: `…` is any text of a line. */
const patternOf = (text: string) =>
  new RegExp(
    `^${text
      .split('…')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
  )

test('a decision is proved to an auditor, from the complaint to the erasure', { timeout: 120_000 }, async () => {
  for (const program of ['bash', 'curl', 'python3']) expect(systemProgram(program)).not.toBe('')
  cpSync(join(ROOT, 'tools'), join(directory, 'tools'), { recursive: true })
  let printed = ''
  let compared = 0
  for (const { language, text } of blocksOf(PAGE)) {
    if (language === 'text') {
      expect(printed).toMatch(patternOf(text))
      compared++
    } else if (text.includes('engine-server')) {
      const [keygen, start] = commandsOf(text, directory)
      await runShell(`npx ${keygen?.args.join(' ')}`)
      const options = localOptions((start?.args ?? []).slice(2), directory)
      server = await startServer(...options)
    } else {
      printed = await runShell(text)
      // By November the receipt is signed.
      const checkpoints = async () => (await server?.request('GET', '/api/v1/receipts/checkpoint'))?.body.checkpoints
      await expect.poll(checkpoints, { timeout: 20_000 }).toHaveLength(1)
    }
  }
  expect(compared).toBe(blocksOf(PAGE).filter(({ language }) => language === 'text').length)
  expect(compared).toBeGreaterThan(4)
})
