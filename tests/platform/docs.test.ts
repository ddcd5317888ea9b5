import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACTIONS, BUILT_IN_ROLES, ROLE_ACTIONS } from '../../apps/platform-server/src/access/actions.ts'
import { codeRowsOf } from '../docs/page.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform(database())
})
afterAll(() => platform.stop())

test('docs/platform/concepts.md has the rights of the built-in roles', () => {
  const rows = codeRowsOf('docs/platform/concepts.md', 'Rights')
  const expected = ACTIONS.map((action) => [
    action,
    ...BUILT_IN_ROLES.map((role) => (ROLE_ACTIONS[role].includes(action) ? 'x' : '')),
  ])
  expect(rows).toEqual(expected)
})

test('docs/platform/operation.md has the metrics of the program, with their types', async () => {
  const { text } = await platform.browser().request('GET', '/metrics')
  const types = Array.from(text.matchAll(/^# TYPE (engine_\w+) (\w+)$/gm), ([, name = '', type = '']) => [name, type])
  const rows = codeRowsOf('docs/platform/operation.md', 'Probes, metrics, log')
  const listed = rows.filter(([name = '']) => name.startsWith('engine_')).map(([name, type]) => [name, type])
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(types))
})
