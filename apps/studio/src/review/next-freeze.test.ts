import '../api/loaded-client.testing.ts'
import { expect, test } from 'vitest'
import { nextFreeze } from './next-freeze.ts'

const at = (hour: number) => `2026-01-0${1 + Math.floor(hour / 24)}T${String(hour % 24).padStart(2, '0')}:00:00Z`
const NOW = Date.parse(at(12))
const freeze = (environment: string, from: number, to: number) => ({ environment, from: at(from), to: at(to) })

test.each<[windows: readonly ReturnType<typeof freeze>[], next: object | undefined]>([
  [[], undefined],
  [[freeze('prod', 10, 14)], { ...freeze('prod', 10, 14), isOpen: true }],
  [[freeze('prod', 12, 14)], { isOpen: true }],
  [[freeze('prod', 13, 14)], { isOpen: false }],
  [[freeze('prod', 10, 12)], undefined],
  [[freeze('prod', 10, 13), freeze('prod', 30, 34)], freeze('prod', 10, 13)],
  [[freeze('prod', 30, 34), freeze('stage', 20, 24)], { ...freeze('stage', 20, 24), isOpen: false }],
  [[freeze('test', 10, 14)], undefined],
  [[freeze('test', 10, 14), freeze('prod', 15, 16)], freeze('prod', 15, 16)],
])('of the windows %j the next of prod and stage at noon is %j', (windows, next) => {
  const found = nextFreeze(windows, ['prod', 'stage'], NOW)
  if (next === undefined) expect(found).toBeUndefined()
  else expect(found).toMatchObject(next)
})
