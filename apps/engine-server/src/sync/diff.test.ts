import { describe, expect, test } from 'vitest'
import type { StoredRuleset } from '../store/store.ts'
import { diff, eventOf, type Wanted } from './diff.ts'
import { subjectOf, type SyncEvent } from './event.ts'
import type { StateRecord } from './state.ts'

const ruleset = (name: string, text = '{}') => ({ name, version: '1.0.0', text }) as StoredRuleset
const put = (tenant: string, name: string, text = '{}'): SyncEvent => ({
  type: 'RulePut',
  tenant,
  name,
  version: '1.0.0',
  text,
})
const deleted = (tenant: string, name: string): SyncEvent => ({ type: 'RuleDeleted', tenant, name })
const tenants = (text: string): SyncEvent => ({ type: 'TenantConfigChanged', text })
const records = (...events: readonly SyncEvent[]): ReadonlyMap<string, StateRecord> =>
  new Map(
    events.map((event) => [
      subjectOf(event),
      { subject: subjectOf(event), revision: 1, envelope: { event } } as StateRecord,
    ]),
  )
const wanted = (more: Partial<Wanted> = {}): Wanted => ({ rulesets: [], tenants: undefined, ...more })

describe('readers get', () => {
  test.each<[title: string, wanted: Wanted, known: ReadonlyMap<string, StateRecord>, expected: readonly SyncEvent[]]>([
    ['nothing where nothing is stored', wanted(), records(), []],
    ['a ruleset that is new', wanted({ rulesets: [['a', ruleset('fee')]] }), records(), [put('a', 'fee')]],
    [
      'a ruleset with another text',
      wanted({ rulesets: [['a', ruleset('fee', '{"x":1}')]] }),
      records(put('a', 'fee')),
      [put('a', 'fee', '{"x":1}')],
    ],
    ['nothing where the text is the same', wanted({ rulesets: [['a', ruleset('fee')]] }), records(put('a', 'fee')), []],
    [
      'a ruleset that was deleted before',
      wanted({ rulesets: [['a', ruleset('fee')]] }),
      records(deleted('a', 'fee')),
      [put('a', 'fee')],
    ],
    ['the deletion of what is not stored', wanted(), records(put('a', 'fee')), [deleted('a', 'fee')]],
    ['no second deletion', wanted(), records(deleted('a', 'fee')), []],
    [
      'a ruleset of another tenant beside that of the first',
      wanted({ rulesets: [['b', ruleset('fee')]] }),
      records(put('a', 'fee')),
      [put('b', 'fee'), deleted('a', 'fee')],
    ],
    ['tenants that are new', wanted({ tenants: '{"a":{}}' }), records(), [tenants('{"a":{}}')]],
    ['tenants that have changed', wanted({ tenants: '{"b":{}}' }), records(tenants('{"a":{}}')), [tenants('{"b":{}}')]],
    ['no tenants that are the same', wanted({ tenants: '{"a":{}}' }), records(tenants('{"a":{}}')), []],
    ['no tenants of an instance without them', wanted(), records(tenants('{"a":{}}')), []],
    [
      'tenants first, then rulesets, then deletions',
      wanted({ tenants: '{}', rulesets: [['a', ruleset('new')]] }),
      records(put('a', 'old')),
      [tenants('{}'), put('a', 'new'), deleted('a', 'old')],
    ],
  ])('%s', (_title, state, known, expected) => {
    expect(diff(state, known)).toEqual(expected)
  })
})

test('a change of a ruleset is its event', () => {
  expect(eventOf('a', { kind: 'put', ruleset: ruleset('fee', '{"x":1}') })).toEqual(put('a', 'fee', '{"x":1}'))
  expect(eventOf('a', { kind: 'deleted', name: 'fee' })).toEqual(deleted('a', 'fee'))
})
