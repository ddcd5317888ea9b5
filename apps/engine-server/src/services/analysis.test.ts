import { NOTHING_REPLAYED } from '@engine/analysis'
import { stringifyJson, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import type { AnalysisTask } from '../analysis/tasks.ts'
import type { AnalysisThreads, TaskOwner } from '../analysis/threads.ts'
import { sampleCatalog } from '../catalog/catalog.testing.ts'
import type { StoredRuleset } from '../store/store.ts'
import { createAnalysisService, createFindings } from './analysis.ts'
import { documentOf, outcomeOf, stored } from './services.testing.ts'

const calling = (name: string, called: string | undefined, more: { readonly [key: string]: Value } = {}) =>
  documentOf({
    name,
    condition: 'true',
    config: more,
    actions:
      called === undefined
        ? []
        : [{ action: 'call_ruleset', ruleset_name: called, result_variable: 'r', input_mapping: '$' }],
  })

const SIGNAL = new AbortController().signal
const tasks: (readonly [task: AnalysisTask, owner: TaskOwner])[] = []
/** The calls of a version that is not live. */
let calls: readonly string[] = []
function begin(...called: readonly string[]): void {
  tasks.length = 0
  calls = called
}

const catalog = sampleCatalog()
await stored(catalog, calling('a', 'b'), calling('b', 'c'), calling('c', 'a'), calling('d', undefined))
const OLD = { ...(catalog.get('a') as StoredRuleset), text: 'old' }

/** The sums of two records, one of which has changed. */
const SUMS = stringifyJson({ ...NOTHING_REPLAYED, total: 2, replayed: 2, changed: 1 } as unknown as Value)

const threads = {
  run: async (task: AnalysisTask, owner: TaskOwner) => {
    tasks.push([task, owner])
    if (task.kind === 'calls' || task.kind === 'calls-of-sent')
      return { kind: 'done', text: JSON.stringify([...calls, 7]) }
    if (task.kind === 'replay') return { kind: 'done', text: 'lines', sums: SUMS }
    return { kind: 'done', text: '[{"kind":"gap"}]' }
  },
} as unknown as AnalysisThreads
const parts = {
  catalog: {
    rulesetOf: catalog.rulesetOf,
    version: async (_name: string, seq: number) => (seq === 1 ? OLD : undefined),
  },
  shown: catalog,
  threads,
  tenant: 'acme',
}
const service = createAnalysisService(parts)
const run = { signal: SIGNAL }
const textOf = (name: string) => catalog.get(name)?.text
/** The last task, with the names of its callees. */
const last = () => {
  const [task, owner] = tasks.at(-1) ?? []
  expect(owner).toEqual({ tenant: 'acme', signal: SIGNAL })
  const { callees, ...rest } = task as AnalysisTask & {
    readonly callees: readonly { readonly name: string; readonly text: string }[]
  }
  expect(callees.every(({ name, text }) => text === textOf(name))).toBe(true)
  return [rest, callees.map(({ name }) => name).toSorted()]
}

describe('a task has the stored ruleset, all that it calls, and its tenant', () => {
  test('analyze', async () => {
    expect(await service.analyze('b', 'body', run)).toBe('[{"kind":"gap"}]')
    expect(last()).toEqual([
      { kind: 'analyze', ruleset: textOf('b'), digest: expect.any(String) as string, body: 'body' },
      ['a', 'b', 'c'],
    ])
    await service.analyze('d', 'body', run)
    expect(last()[1]).toEqual([])
  })

  test('why-not', async () => {
    await service.whyNot('b', 'body', run)
    expect(last()).toEqual([{ kind: 'why-not', ruleset: textOf('b'), body: 'body' }, ['a', 'b', 'c']])
  })

  test('impact of a replaced version, also what that one calls', async () => {
    begin('d')
    await service.impact('b', 1, 'body', run)
    expect(tasks[0]?.[0]).toEqual({ kind: 'calls', ruleset: 'old' })
    expect(last()).toEqual([{ kind: 'impact', before: 'old', after: textOf('b'), body: 'body' }, ['a', 'b', 'c', 'd']])
  })

  test('impact of a version in the body', async () => {
    begin('d', 'none')
    await service.impact('b', undefined, 'body', run)
    expect(tasks[0]?.[0]).toEqual({ kind: 'calls-of-sent', body: 'body' })
    expect(last()).toEqual([
      { kind: 'impact', before: textOf('b'), after: undefined, body: 'body' },
      ['a', 'b', 'c', 'd'],
    ])
  })

  test('replay of records', async () => {
    begin('d')
    const stream = await service.replay('b', 1, run)
    const lines = [{ number: 1, text: '{}', fault: undefined }]
    expect(await stream.add(lines)).toBe('lines')
    await stream.add(lines)
    expect(JSON.parse(stream.summary())).toMatchObject({ total: 4, replayed: 4, changed: 2 })
    expect(last()).toEqual([{ kind: 'replay', before: 'old', after: textOf('b'), lines }, ['a', 'b', 'c', 'd']])
  })

  test('findings of a ruleset that is being stored', async () => {
    begin()
    const findings = await createFindings(parts)({ ...(catalog.get('b') as StoredRuleset) })
    expect(findings).toEqual([{ kind: 'gap' }])
    expect(tasks).toMatchObject([[{ kind: 'findings', ruleset: textOf('b') }, { tenant: 'acme' }]])
  })
})

test.each<[what: string, ask: () => Promise<unknown>, message: string]>([
  ['an unknown ruleset', () => service.analyze('none', '', run), 'not-found: ruleset `none` not found'],
  ['an unknown one to compare', () => service.impact('none', 1, '', run), 'not-found: ruleset `none` not found'],
  ['an unknown one to explain', () => service.whyNot('none', '', run), 'not-found: ruleset `none` not found'],
  ['an unknown version', () => service.impact('a', 9, '', run), 'not-found: version 9 of ruleset `a` not found'],
  ['an unknown version to replay', () => service.replay('a', 9, run), 'not-found: version 9 of ruleset `a` not found'],
])('%s has no analysis', async (_what, ask, message) => {
  begin()
  expect(await outcomeOf(ask)).toBe(message)
  expect(tasks).toEqual([])
})

test('rulesets beyond 16 million characters together count as missing', async () => {
  const large = sampleCatalog()
  await stored(large, calling('one', 'two'), calling('two', 'three'), calling('three', undefined))
  const padded = new Map(
    ['two', 'three'].map((name) => {
      const found = large.get(name) as StoredRuleset
      return [name, { ...found, text: `${found.text}${' '.repeat(8_000_000)}` }]
    }),
  )
  const limited = createAnalysisService({
    ...parts,
    catalog: { ...parts.catalog, rulesetOf: ({ name }) => large.rulesetOf(large.get(name) as StoredRuleset) },
    shown: { list: large.list, get: (name) => padded.get(name) ?? large.get(name) },
  })
  await limited.analyze('one', '', run)
  const [task] = tasks.at(-1) ?? []
  expect((task as { readonly callees: readonly { readonly name: string }[] }).callees.map(({ name }) => name)).toEqual([
    'two',
  ])
})
