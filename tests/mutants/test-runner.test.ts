import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
