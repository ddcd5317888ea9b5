import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { TestRunner } from './test-runner.ts'

test('what the tests have started ends with the runner, also in a process group of its own', async () => {
  const root = mkdtempSync(join(tmpdir(), 'runner-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const server = join(root, 'server')
  writeFileSync(server, '#!/bin/sh\nwhile :; do sleep 1; done\n')
  chmodSync(server, 0o755)
  const child = spawn(server, { detached: true, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await once(child, 'spawn')
  const other = spawn('sleep', ['600'], { stdio: 'ignore' })
  onTestFinished(() => void other.kill())
  new TestRunner(root).kill()
  expect(await ended).toEqual([null, 'SIGKILL'])
  expect(other.exitCode ?? other.signalCode).toBeNull()
})

test('a mutant is gone with the next one, also where that is in another source', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'runner-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'tests/mutants'), { recursive: true })
  cpSync(join(import.meta.dirname, 'test-process.ts'), join(root, 'tests/mutants/test-process.ts'))
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  const write = (file: string, text: string) => writeFileSync(join(root, file), text)
  write('one.ts', 'export const one = 1')
  write('two.ts', 'export const two = 2')
  const imports =
    "import { expect, test } from 'vitest'; import { one } from './one.ts'; import { two } from './two.ts'"
  write('sum.test.ts', `${imports}; test('the sum', () => expect(one + two).toBeGreaterThan(2))`)
  const runner = new TestRunner(root)
  onTestFinished(() => runner.stop())
  const run = (changed: string) => runner.run(['sum.test.ts'], [changed], 120_000)
  write('one.ts', 'export const one = -1')
  expect(await run('one.ts')).toBe('failed')
  write('one.ts', 'export const one = 1')
  write('two.ts', 'export const two = 3')
  expect(await run('two.ts')).toBe('passed')
})
