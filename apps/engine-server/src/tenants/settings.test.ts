import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { settingsFaults } from './settings.ts'

const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))

test.each<[title: string, settings: Value, faults: readonly string[]]>([
  ['no settings', {}, []],
  ['every setting at its limit', { name: 'n'.repeat(256), qps_limit: 1_000_000_000, metadata: entries(64) }, []],
  ['a long key and a long value', { metadata: { ['k'.repeat(128)]: 'v'.repeat(1024) } }, []],
  ['no object', [], ['']],
  ['a name that is too long', { name: 'n'.repeat(257) }, ['/name must have at most 256 characters, found 257']],
  ['a number beyond 2^53', { qps_limit: 2n ** 60n }, ['/qps_limit must be at most 1000000000']],
  ['a number beyond the limit', { max_rulesets: 1_000_000_001 }, ['/max_rulesets']],
  ['too many entries', { metadata: entries(65) }, ['/metadata must have at most 64 entries, found 65']],
  ['a key that is too long', { metadata: { ['k'.repeat(129)]: 'v' } }, ['/metadata has the key']],
  [
    'a value that is too long',
    { metadata: { plan: 'v'.repeat(1025) } },
    ['/metadata `plan` must have at most 1024 characters, found 1025'],
  ],
  ['two sizes', { name: 'n'.repeat(257), metadata: entries(65) }, ['/name must', '/metadata must']],
  ['metadata of another type', { metadata: 'gold' }, ['/metadata']],
  ['a setting of another type beside one that is too long', { enabled: 1, name: 'n'.repeat(257) }, ['/name must']],
  ['an id', { id: 'a' }, ['/id is not a setting: the tenant id is part of the path']],
  ['an unknown setting', { qps_limt: 1 }, ['/qps_limt is not known']],
])('%s', (_title, settings, faults) => {
  const found = settingsFaults(settings).map(({ path, message }) => `${path} ${message}`.trim())
  expect(found.map((text, index) => text.startsWith(faults[index] ?? '?'))).toEqual(faults.map(() => true))
})

test('unknown settings are named with the nearest known one, at most twenty, or passed over', () => {
  expect(settingsFaults({ qps_limt: 1 })).toMatchObject([{ suggestion: 'qps_limit' }])
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x${index}`, 1]))
  expect([settingsFaults(many).length, settingsFaults(many, 'pass-over')]).toEqual([20, []])
  expect(settingsFaults({ ...many, qps_limit: 0 }, 'pass-over').map(({ path }) => path)).toEqual(['/qps_limit'])
})
