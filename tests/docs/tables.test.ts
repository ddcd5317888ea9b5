import { ERROR_CODES } from '@engine/api'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../http/server.testing.ts'
import { codeRowsOf, ROOT } from './page.testing.ts'

test('docs/monitoring.md has the metrics of the program, with their types', async () => {
  const server = await startServer()
  onTestFinished(() => server.stop())
  await server.post('/api/v1/eval', { expression: '1' })
  const { text } = await server.request('GET', '/metrics')
  const types = new Map(Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type = '']) => [name, type]))
  const rows = codeRowsOf('docs/monitoring.md', 'Metrics').filter(([name = '']) => !name.includes('…'))
  const listed = new Map(rows.map(([name = '', type = '']) => [name, type]))
  const own = [...types].filter(([name]) => name.startsWith('engine_') && !name.startsWith('engine_sync_'))
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(own))
})

test('docs/http.md has every code of errors', () => {
  const [, errors = ''] = readFileSync(join(ROOT, 'docs/http.md'), 'utf8').split('\n## Errors\n')
  const listed = Array.from(errors.matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g), ([, code = '']) => code)
  expect(new Set(listed.filter((code) => code !== 'FAILED_PRECONDITION'))).toEqual(new Set(ERROR_CODES))
})
