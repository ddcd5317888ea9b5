import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { sampleCatalog } from '../catalog/catalog.testing.ts'
import type { Cause } from '../catalog/change-feed.ts'
import { contentDigest, entityTag } from '../catalog/content-digest.ts'
import { EngineError } from '../errors.ts'
import type { Requester } from '../requester.ts'
import { createMemoryStore } from '../store/memory.ts'
import { StoreError, type Store, type StoredRuleset } from '../store/store.ts'
import { createRulesetService, type RulesetParts } from './rulesets.ts'
import { documentOf, outcomeOf, stored } from './services.testing.ts'

const ADA: Requester = { token: 'ada', address: '127.0.0.1', requestId: 'r-1' }

const version = (name: string, number: string, config: { readonly [key: string]: Value } = {}) =>
  documentOf({ name, condition: `a == ${number.replaceAll('.', '')}`, config: { version: number, ...config } })

/** Replaced versions by number. */
const history = new Map<number, StoredRuleset>()
let causes: Cause[] = []
let audited = 0

/** A service whose store keeps `history`, with the rulesets `a` and `b`. */
async function opened(parts: Partial<RulesetParts> = {}, mode: Store['mode'] = 'persistent') {
  causes = []
  audited = 0
  const store = createMemoryStore()
  const catalog = sampleCatalog({
    ...store,
    mode,
    get size() {
      return store.size
    },
    versions: async () => [],
    version: async (_name, seq) => history.get(seq),
  })
  await stored(catalog, version('a', '2.0.0', { description: 'Opens doors' }), version('b', '1.0.0'))
  for (const [seq, number] of [
    [1, '1.0.0'],
    [2, '1.5.0'],
  ] as const)
    history.set(seq, (await catalog.admit(version('a', number), 'api')).ruleset)
  catalog.subscribe({ changed: (_change, cause) => void causes.push(cause) })
  const service = createRulesetService({
    catalog,
    shown: catalog,
    events: {
      auditable: async () => {
        audited++
      },
    },
    changes: { run: (change) => change() },
    findingsOf: async () => [],
    most: () => undefined,
    ...parts,
  })
  return { catalog, service }
}

const refuse = (tag: string | undefined) => {
  throw new EngineError('conflict', `it is ${tag ?? 'not stored'}`)
}

describe('storing', () => {
  test.each<
    [
      what: string,
      document: { readonly [key: string]: Value },
      status: string,
      unchanged: true | undefined,
      changes: number,
    ]
  >([
    ['a new ruleset', version('c', '1.0.0'), 'created', undefined, 1],
    ['another content', version('a', '3.0.0'), 'updated', undefined, 1],
    ['the same content', version('b', '1.0.0'), 'updated', true, 0],
  ])(
    '%s answers with its state, and so does a dry run that stores nothing',
    async (_what, document, status, unchanged, changes) => {
      const { catalog, service } = await opened()
      const { ruleset } = await catalog.admit(document, 'api')
      const before = [...catalog.list()]
      const dry = await service.put(document, { by: ADA, dryRun: true })
      expect([dry.status, dry.unchanged, dry.dry_run, [...catalog.list()], audited]).toEqual([
        status,
        unchanged,
        true,
        before,
        0,
      ])
      const done = await service.put(document, { by: ADA })
      expect({ ...done, digest: '' }).toEqual({
        status,
        name: ruleset.name,
        digest: '',
        tag: entityTag(ruleset),
        ...(unchanged && { unchanged }),
      })
      expect(done.digest).toBe(dry.digest)
      expect([causes, audited]).toEqual([Array.from({ length: changes }, () => ({ origin: 'api', by: ADA })), 1])
    },
  )

  test('needs an audit that can record it', async () => {
    const full = new EngineError('storage-failed', 'the audit is full')
    const { catalog, service } = await opened({ events: { auditable: () => Promise.reject(full) } })
    const before = [...catalog.list()]
    const { tag } = service.tagged('a')
    for (const change of [
      () => service.put(version('a', '3.0.0')),
      () => service.delete('a'),
      () => service.rollback('a', 1),
    ])
      expect(await outcomeOf(change)).toBe('storage-failed: the audit is full')
    expect([[...catalog.list()], service.tagged('a').tag]).toEqual([before, tag])
  })

  test.each(['put', 'dry run', 'delete', 'rollback'])(
    'a precondition is asked with the current tag: %s',
    async (way) => {
      const { catalog, service } = await opened()
      const { tag } = service.tagged('a')
      const change = { only: refuse }
      const run = {
        put: () => service.put(version('a', '3.0.0'), change),
        'dry run': () => service.put(version('a', '3.0.0'), { ...change, dryRun: true }),
        delete: () => service.delete('a', change),
        rollback: () => service.rollback('a', 1, change),
      }[way]
      expect(await outcomeOf(() => run?.())).toBe(`conflict: it is ${tag}`)
      expect(catalog.get('a')?.version).toBe('2.0.0')
    },
  )

  test('a precondition of a new ruleset has no tag', async () => {
    const { service } = await opened()
    expect(await outcomeOf(() => service.put(version('c', '1.0.0'), { only: refuse }))).toBe(
      'conflict: it is not stored',
    )
  })

  test.each<[most: number, document: object, outcome: unknown]>([
    [3, version('c', '1.0.0'), expect.objectContaining({ status: 'created' })],
    [2, version('c', '1.0.0'), 'conflict: no more than 2 rulesets may be stored (max_rulesets)'],
    [2, version('a', '3.0.0'), expect.objectContaining({ status: 'updated' })],
    [1, version('a', '3.0.0'), expect.objectContaining({ status: 'updated' })],
  ])('at most %i rulesets: %#', async (most, document, outcome) => {
    const { service } = await opened({ most: () => most })
    for (const dryRun of [true, false])
      expect(await outcomeOf(() => service.put(document as Value, { dryRun }))).toEqual(outcome)
  })

  test('two new rulesets at once do not both take the last place, and a failed one leaves its own', async () => {
    let arrived = 0
    const together = Promise.withResolvers<void>()
    const auditable = async () => {
      arrived++
      // The first change fails; the next two begin at the same time.
      if (arrived === 3) together.resolve()
      if (arrived === 2 || arrived === 3) await together.promise
    }
    const { service } = await opened({ most: () => 3, events: { auditable } })
    expect(await outcomeOf(() => service.put(version('d', '1.0.0'), { only: refuse }))).toMatch(
      /^conflict: it is not stored/,
    )
    const both = await Promise.all(['c', 'd'].map((name) => outcomeOf(() => service.put(version(name, '1.0.0')))))
    expect(
      both
        .map((one) => (typeof one === 'string' ? one : 'stored'))
        .toSorted()
        .toReversed(),
    ).toEqual(['stored', 'conflict: no more than 3 rulesets may be stored (max_rulesets)'])
    await service.put(version('a', '4.0.0'))
    expect(await outcomeOf(() => service.put(version('e', '1.0.0')))).toMatch(/^conflict: no more than 3/)
  })

  test.each([
    ['A', true],
    ['A', false],
    ['mIXED', true],
    ['mIXED', false],
  ])('the name %s differs from another by case alone and is refused, as a dry run: %s', async (name, dryRun) => {
    const { catalog, service } = await opened()
    await stored(catalog, version('Mixed', '1.0.0'))
    const outcome = await outcomeOf(() => service.put(version(name, '1.0.0'), { dryRun }))
    expect(outcome).toMatch(/^conflict: .*`(?:a|Mixed)`/)
  })

  test('a change that a subscriber refuses is refused as a dry run as well', async () => {
    const { catalog, service } = await opened()
    catalog.subscribe({
      accept: () => {
        throw new StoreError('too-large', 'too large to be published')
      },
      changed: () => undefined,
    })
    for (const dryRun of [true, false])
      expect(await outcomeOf(() => service.put(version('c', '1.0.0'), { dryRun }))).toBe(
        'payload-too-large: too large to be published',
      )
  })

  const FINDING = { kind: 'dead-branch', place: 'step first', reason: 'it never holds' } as never
  test.each<[analyze: 'warn' | 'deny' | undefined, findings: readonly never[], outcome: unknown]>([
    [undefined, [FINDING], expect.objectContaining({ status: 'created', name: 'c' })],
    ['warn', [FINDING], expect.objectContaining({ status: 'created', findings: [FINDING] })],
    ['deny', [], expect.objectContaining({ status: 'created', findings: [] })],
    [
      'deny',
      [FINDING],
      'analysis-findings: the analysis refuses the ruleset: `step first` dead-branch: it never holds',
    ],
    [
      'deny',
      [FINDING, FINDING, FINDING],
      'analysis-findings: the analysis refuses the ruleset: `step first` dead-branch: it never holds; and 2 more',
    ],
  ])('with the analysis %s and the findings %j', async (analyze, findings, outcome) => {
    let asked = 0
    const { catalog, service } = await opened({
      findingsOf: async () => {
        asked++
        return findings
      },
    })
    expect(await outcomeOf(() => service.put(version('c', '1.0.0'), { analyze }))).toEqual(outcome)
    expect(catalog.get('c') === undefined).toBe(typeof outcome === 'string')
    expect(asked).toBe(analyze === undefined ? 0 : 1)
  })
})

describe('going back', () => {
  test('stores the version of that number, and answers with both', async () => {
    const { catalog, service } = await opened()
    const target = history.get(1)
    expect.assert(target !== undefined)
    expect(await service.rollback('a', 1, { by: ADA })).toEqual({
      status: 'rolled_back',
      name: 'a',
      from_version: '2.0.0',
      to_version: '1.0.0',
      digest: await contentDigest(target),
      tag: entityTag(target),
    })
    expect(catalog.get('a')?.text).toBe(target.text)
    expect([causes, audited]).toEqual([[{ origin: 'rollback', seq: 1, by: ADA }], 1])
  })

  test.each<[what: string, name: string, seq: number, mode: Store['mode'], outcome: string]>([
    ['of an unknown ruleset', 'none', 1, 'persistent', 'not-found: ruleset `none` not found'],
    ['to an unknown version', 'a', 9, 'persistent', 'not-found: version 9 of ruleset `a` not found'],
    ['without a history', 'a', 1, 'memory', 'no-history: Version rollback not available in memory-only mode'],
  ])('%s', async (_what, name, seq, mode, outcome) => {
    const { service } = await opened({}, mode)
    expect(await outcomeOf(() => service.rollback(name, seq))).toBe(outcome)
  })

  test('to a version that may not be stored again is refused', async () => {
    const { catalog, service } = await opened()
    catalog.admitAgain = () => Promise.reject(new EngineError('signature-rejected', 'no signature'))
    expect(await outcomeOf(() => service.rollback('a', 1))).toBe('signature-rejected: no signature')
  })
})

describe('reading', () => {
  test('a list, a summary, a text, its versions and one of them', async () => {
    const { catalog, service } = await opened()
    const row = { name: 'a', version: '2.0.0', description: 'Opens doors', step_count: 3 }
    expect(service.summary('a')).toEqual(row)
    expect(service.list()).toEqual([row, { name: 'b', version: '1.0.0', description: null, step_count: 3 }])
    expect(service.text('a')).toBe(catalog.get('a')?.text)
    expect(await service.versions('a')).toEqual({ name: 'a', current_version: '2.0.0', versions: [] })
    expect((await service.version('a', 2)).text).toBe(history.get(2)?.text)
  })

  test.each<[query: object, names: readonly string[], next: string | undefined]>([
    [{}, ['a', 'b'], undefined],
    [{ limit: 1 }, ['a'], 'a'],
    [{ after: 'a' }, ['b'], undefined],
    [{ contains: 'DOORS' }, ['a'], undefined],
    [{ contains: 'B' }, ['b'], undefined],
  ])('the page of %j', async (query, names, next) => {
    const { service } = await opened()
    const page = await service.page(query)
    expect([page.rows.map(({ name }) => name), page.next]).toEqual([names, next])
    const { digest } = await service.put(version('a', '2.0.0', { description: 'Opens doors' }), { dryRun: true })
    expect(page.rows.every((row) => row.name !== 'a' || row.digest === digest)).toBe(true)
  })

  test.each<[name: string, nearest: string | undefined]>([
    ['doer', 'door'],
    ['door', undefined],
    ['window', undefined],
  ])('the stored name that %s probably means', async (name, nearest) => {
    const { catalog, service } = await opened()
    await stored(catalog, version('door', '1.0.0'), version('doors', '1.0.0'))
    expect(service.nearest(name)).toBe(nearest)
  })

  test('an unknown ruleset', async () => {
    const { service } = await opened()
    for (const read of [
      () => service.summary('none'),
      () => service.text('none'),
      () => service.tagged('none'),
      () => service.versions('none'),
      () => service.version('none', 1),
      () => service.delete('none'),
    ])
      expect(await outcomeOf(read)).toBe('not-found: ruleset `none` not found')
    expect(await outcomeOf(() => service.version('a', 9))).toBe('not-found: version 9 of ruleset `a` not found')
  })

  test('the warnings of a document that may be stored', async () => {
    const { service } = await opened()
    const document = version('c', '1.0.0')
    const unreached = { id: 'x', type: 'terminal', result: { code: 'X', message: '' } }
    const odd = { ...document, steps: { ...(document['steps'] as object), x: unreached } } as Value
    const warnings = [expect.objectContaining({ path: expect.stringContaining('/steps/x') as string }) as object]
    expect(await service.put(odd, { dryRun: true })).toMatchObject({ warnings })
    expect(await service.validate(odd, undefined)).toMatchObject({ valid: true, warnings })
  })

  test('whether a document is valid', async () => {
    const { service } = await opened()
    const { digest } = await service.put(version('c', '1.0.0'), { dryRun: true })
    expect(await service.validate(version('c', '1.0.0'), undefined)).toEqual({
      valid: true,
      name: 'c',
      version: '1.0.0',
      digest,
    })
    expect(await service.validate({ config: { name: 'c' } }, undefined)).toMatchObject({
      valid: false,
      errors: [{ path: expect.any(String) as string }, {}],
    })
  })

  test('a deletion', async () => {
    const { catalog, service } = await opened()
    await service.delete('a', { by: ADA })
    expect([catalog.get('a'), causes]).toEqual([undefined, [{ origin: 'api', by: ADA }]])
  })
})
