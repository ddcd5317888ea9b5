import { randomUUIDv7 } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Page } from '../../apps/platform-server/src/database/page.ts'
import { auditOn, auditPieces, type AuditFilter } from '../../apps/platform-server/src/features/audit/repository.ts'
import {
  changeConcept,
  createConcept,
  deleteConcept,
  shownConcepts,
} from '../../apps/platform-server/src/features/catalog/concepts.ts'
import { copiedContract } from '../../apps/platform-server/src/features/catalog/contract-copy.ts'
import { contractFor } from '../../apps/platform-server/src/features/catalog/contract-in-use.ts'
import {
  changeContract,
  checkedContract,
  createContract,
} from '../../apps/platform-server/src/features/catalog/contracts.ts'
import {
  changeFact,
  createFact,
  deleteFact,
  shownFacts,
} from '../../apps/platform-server/src/features/catalog/facts.ts'
import {
  conceptsOf,
  contractIn,
  contractOf,
  factIn,
  factsOn,
} from '../../apps/platform-server/src/features/catalog/repository.ts'
import {
  contentsById,
  graphsFor,
  subRuleIn,
  subRulesOn,
  usersOf,
  usesSeenBy,
} from '../../apps/platform-server/src/features/sub-rules/repository.ts'
import { saveOfSubRule, savesOfSubRule } from '../../apps/platform-server/src/features/sub-rules/saves.ts'
import { useDatabase } from './databases.testing.ts'
import { newRolloutSteps, type RolloutSteps } from './rollout-steps.testing.ts'
import { auditOf, conflict } from './rows.testing.ts'

/** Facts, concepts, contracts, sub-rules and audit entries as the database has them. */

const database = useDatabase('postgres')
let its: RolloutSteps
/** A second project of the organization. */
let other: string
beforeEach(async () => {
  its = await newRolloutSteps(database())
  other = randomUUIDv7()
  const project = { id: other, name: other, current_environment: 'prod', created_by: 'system' }
  await database().note(its.org, ({ scope: own }) => own.insert('projects', project).execute())
})
const scope = () => database().scope(its.org)
const acting = () => its.operating().acting
const refused = (path: string, code?: string) =>
  expect.objectContaining({
    details: [expect.objectContaining(code === undefined ? { path } : { path, code })],
  })
const audits = (action: string) => auditOf(scope(), action)
const contract = (name: string, fields: Readonly<Record<string, string>>, outputs: object[] = []) =>
  ({
    name,
    version: '1.0.0',
    input: { fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })) },
    outputs,
  }) as never
const concept = (name: string, fields: Readonly<Record<string, string>>) =>
  ({ name, fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })) }) as never
const contractNamed = async (name: string) => {
  const row = await contractIn(scope(), its.project, name)
  if (row === undefined) throw new Error(`there is no contract ${name}`)
  return row
}
const flagsOf = async (name: string) => contractOf(await contractNamed(name)).migrations.map(({ field }) => field)

describe('a fact', () => {
  test('is changed by its present revision, with both contents in the audit of the project', async () => {
    const made = await createFact(acting(), { name: 'age', type: 'number', tags: ['a'], example: 1 })
    expect(made).toMatchObject({ tags: ['a'], example: 1, created_by: acting().by })
    for (const rev of [0, 2])
      await expect(changeFact(acting(), 'age', { type: 'string' }, rev)).rejects.toEqual(conflict('stale'))
    const { migrations, ...after } = await changeFact(acting(), 'age', { type: 'number', description: 'x' }, 1)
    expect(migrations).toEqual([])
    expect(await audits('fact.updated')).toMatchObject([
      { project_id: its.project, object_name: 'age', before: made, after },
    ])
    expect(after.rev).toBe(2)
    expect(Date.parse(after.updated_at)).toBeGreaterThanOrEqual(Date.parse(made.updated_at))
    expect(await audits('fact.created')).toMatchObject([{ object_name: 'age', before: null, after: made }])
    await expect(changeFact(acting(), 'age', { name: 'years', type: 'number' }, 2)).rejects.toMatchObject({
      code: 'invalid-request',
    })
    expect(await factIn(scope(), other, 'age')).toBeUndefined()
  })

  test('flags contracts while its type differs, also when it is deleted and made again', async () => {
    await createFact(acting(), { name: 'order', type: 'number' })
    await createContract(acting(), contract('uses', { 'order.total': 'number', orders: 'number' }))
    await changeFact(acting(), 'order', { type: 'string' }, undefined)
    expect(await flagsOf('uses')).toEqual(['order.total'])
    expect((await contractNamed('uses')).rev).toBe(2)
    const rows = (await factsOn(scope(), its.project, PAGE)).rows
    const beside = { ...rows[0], name: 'beside' } as (typeof rows)[number]
    const users = (await shownFacts(scope(), its.project, [...rows, beside])).map(({ used_by }) => used_by)
    expect(users).toEqual([[{ kind: 'contract', name: 'uses' }], []])
    await deleteFact(acting(), 'order', undefined)
    expect(await flagsOf('uses')).toEqual([])
    await createFact(acting(), { name: 'order', type: 'string' })
    expect(await flagsOf('uses')).toEqual(['order.total'])
    await changeFact(acting(), 'order', { type: 'number' }, undefined)
    expect(await flagsOf('uses')).toEqual([])
  })

  test('is searched by name and description, in its project', async () => {
    await createFact(acting(), { name: 'age', type: 'number', description: 'in Years' })
    await createFact(acting(), { name: 'sum', type: 'number' })
    const listed = async (project: string, contains?: string) =>
      (await factsOn(scope(), project, { ...PAGE, contains })).rows.map(({ name }) => name)
    expect(await listed(its.project)).toEqual(['age', 'sum'])
    expect(await listed(its.project, 'years')).toEqual(['age'])
    expect(await listed(other)).toEqual([])
  })
})
const PAGE: Page = { limit: 50, sort: 'name', descending: false, after: undefined, contains: undefined }

describe('a concept', () => {
  test('names its users once, itself not among them', async () => {
    await createConcept(acting(), concept('node', { at: 'number', next: 'array<concept:node>' }))
    await createConcept(acting(), concept('edge', { from: 'concept:node', to: 'concept:node' }))
    await createFact(acting(), { name: 'start', type: 'concept:node' })
    await createContract(acting(), contract('walk', { from: 'concept:node', to: 'concept:node' }))
    const rows = await scope().read('concepts').selectFrom('concepts').selectAll().where('name', '=', 'node').execute()
    const [{ used_by } = { used_by: [] }] = await shownConcepts(scope(), its.project, rows)
    expect(used_by).toEqual([
      { kind: 'contract', name: 'walk' },
      { kind: 'concept', name: 'edge' },
      { kind: 'fact', name: 'start' },
    ])
    const used = expect.objectContaining({ code: 'conflict', message: expect.stringContaining('`walk` uses it') })
    await expect(deleteConcept(acting(), 'node', undefined)).rejects.toEqual(used)
    expect([...(await conceptsOf(scope(), other)).keys()]).toEqual([])
  })

  test('flags inputs and outputs that reach it, until its fields are restored, and drops examples that no longer fit', async () => {
    await createConcept(acting(), concept('point', { x: 'number' }))
    await createConcept(acting(), concept('line', { from: 'concept:point' }))
    for (const [name, type, example] of [
      ['good', 'concept:point', {}],
      ['bad', 'concept:line', { from: { x: 1 } }],
      ['plain', 'number', 7],
    ] as const)
      await createFact(acting(), { name, type, example })
    const output = { code: 'OK', fields: [{ name: 'at', type: 'concept:line' }] }
    await createContract(acting(), contract('draws', { from: 'concept:point', size: 'number' }, [output]))
    const { migrations } = await changeConcept(acting(), 'point', concept('point', { x: 'string' }), 1)
    const fields = ['from', 'OK.at']
    expect(migrations).toEqual(fields.map((field) => ({ contract: 'draws', field })))
    expect(await flagsOf('draws')).toEqual(fields)
    const facts = ['good', 'bad', 'plain'].map(async (name) => factIn(scope(), its.project, name))
    expect(await Promise.all(facts)).toMatchObject([
      { example: {}, rev: 1 },
      { example: null, rev: 2 },
      { example: 7, rev: 1 },
    ])
    expect(await audits('fact.updated')).toMatchObject([
      { project_id: its.project, object_name: 'bad', before: { example: { from: { x: 1 } } } },
    ])
    await changeConcept(acting(), 'point', concept('point', { x: 'boolean' }), 2)
    expect(await flagsOf('draws')).toEqual(fields)
    await changeConcept(acting(), 'point', concept('point', { x: 'number' }), 3)
    expect(await flagsOf('draws')).toEqual([])
  })
})

describe('a contract', () => {
  test('is replaced without flags, under a higher version', async () => {
    await createFact(acting(), { name: 'age', type: 'number' })
    await createContract(acting(), contract('loan', { age: 'number' }))
    await changeFact(acting(), 'age', { type: 'string' }, undefined)
    const { name: _, ...rest } = contract('loan', { age: 'number', more: 'number' }) as { name: string }
    const change = (version: string) => changeContract(acting(), 'loan', { ...rest, version } as never, undefined)
    await expect(change('1.0.0')).rejects.toEqual(refused('/version', 'version-too-low'))
    expect(await flagsOf('loan')).toEqual(['age'])
    const broken = changeContract(acting(), 'loan', { ...rest, version: '1.1.0', input: { fields: [] } } as never, 2)
    await expect(broken).rejects.toMatchObject({ code: 'conflict', details: [{ code: 'breaking_change' }, {}] })
    expect(await change('1.0.1')).toMatchObject({ needs_migration: false, breaking: false, rev: 3 })
    const row = await contractNamed('loan')
    const renamed = { ...rest, name: 'other' } as never
    await expect(checkedContract(scope(), row, renamed)).rejects.toMatchObject({ code: 'invalid-request' })
    expect(await checkedContract(scope(), row, { ...rest, input: { fields: [] } } as never)).toMatchObject({
      breaking: true,
      bump: 'major',
    })
  })

  test('of a draft is the one that it names, or else the one of its own name', async () => {
    await createContract(acting(), contract('own', { a: 'number' }))
    await createContract(acting(), contract('named', { b: 'number' }))
    const columns = { contract_mode: 'warn' } as const
    await database().unscoped.tables.updateTable('projects').set(columns).where('id', '=', its.project).execute()
    const found = async (project: string, config: object) => {
      const use = await contractFor(scope(), project, { config: { name: 'own', ...config } })
      return use && [use.contract.name, use.mode]
    }
    expect(await found(its.project, {})).toEqual(['own', 'warn'])
    expect(await found(its.project, { contract: 'named' })).toEqual(['named', 'warn'])
    expect(await found(its.project, { contract: 'none' })).toBeUndefined()
    expect(await found(other, {})).toBeUndefined()
  })

  test('is copied with the concepts and facts that give it meaning, and with those alone', async () => {
    await createConcept(acting(), concept('inner', { x: 'number' }))
    await createConcept(acting(), concept('outer', { in: 'concept:inner' }))
    await createConcept(acting(), concept('beside', { x: 'number' }))
    const facts = ['age', 'at', 'beside'].map((name) => ({ name, type: 'number', description: `the ${name}` }))
    for (const fact of facts) await createFact(acting(), fact)
    const output = { code: 'OK', fields: [{ name: 'at', type: 'concept:outer' }] }
    const made = await createContract(acting(), contract('loan', { age: 'number' }, [output]))
    const copy = await copiedContract(scope(), its.project, made, await conceptsOf(scope(), its.project))
    expect(copy.contract).toMatchObject({ name: 'loan', version: '1.0.0', facts: facts.slice(0, 2) })
    expect(copy.contract.concepts?.toSorted((one, two) => one.name.localeCompare(two.name))).toMatchObject([
      { name: 'inner', fields: [{ name: 'x', type: 'number' }] },
      { name: 'outer', fields: [{ name: 'in', type: 'concept:inner' }] },
    ])
    expect(copy.referredIds).toHaveLength(4)
    expect((await copiedContract(scope(), other, made, new Map())).referredIds).toEqual([])
  })
})

describe('sub-rules', () => {
  /** Store a sub-rule with a save for each step; null: of the organization. */
  async function add(project_id: string | null, name: string, uses: readonly string[] = [], saves = 1) {
    const row = { id: randomUUIDv7(), project_id, name, version: `1.${saves}.0`, rev: saves, created_by: 'system' }
    await database().note(its.org, async ({ scope: own }) => {
      await own.insert('sub_rules', { ...row, uses: [...uses] }).execute()
      const rows = Array.from({ length: saves }, (_, index) => ({
        sub_rule_id: row.id,
        seq: index + 1,
        version: `1.${index + 1}.0`,
        content: JSON.stringify({
          graph: { startStepId: `${name}-${index + 1}`, steps: [] },
          bindings: [],
          outputs: [],
        }),
        saved_by: `author-${index + 1}`,
      }))
      await own.insert('sub_rule_saves', rows).execute()
    })
    return row.id
  }
  const addDraft = async (project_id: string, name: string, uses: string[], deleted_at: Date | null = null) => {
    const row = { id: randomUUIDv7(), project_id, name, uses, deleted_at, seq: 1, version: '1.0.0' }
    await database().note(its.org, ({ scope: own }) =>
      own.insert('drafts', { ...row, created_by: 'system', updated_by: 'system' }).execute(),
    )
  }

  test('of a project override those of the organization, at their last save, with all that they use', async () => {
    const [shared, own] = [await add(null, 'fee', ['base']), await add(its.project, 'fee', ['tax'], 2)]
    await add(null, 'base')
    await add(its.project, 'tax', ['rate'])
    await add(null, 'rate')
    const seen = async (project: string | null) =>
      new Map(
        Array.from(await graphsFor(scope(), project, ['fee', 'none']), ([name, { id, seq }]) => [name, [id, seq]]),
      )
    expect(await seen(its.project)).toEqual(
      new Map([
        ['fee', [own, 2]],
        ['tax', [expect.any(String), 1]],
        ['rate', [expect.any(String), 1]],
      ]),
    )
    const ofOrganization = new Map([
      ['fee', [shared, 1]],
      ['base', [expect.any(String), 1]],
    ])
    expect([await seen(null), await seen(other)]).toEqual([ofOrganization, ofOrganization])
    expect((await graphsFor(scope(), its.project, ['fee'])).get('fee')?.graph.startStepId).toBe('fee-2')
    const uses = async (project: string | null) =>
      (await usesSeenBy(scope(), project)).find(({ name }) => name === 'fee')?.uses
    expect([await uses(its.project), await uses(other), await uses(null)]).toEqual([['tax'], ['base'], ['base']])
    const listed = async (project: string | null) =>
      (await subRulesOn(scope(), project, PAGE)).rows.map(({ name }) => name)
    expect([await listed(its.project), await listed(null), await listed(other)]).toEqual([
      ['fee', 'tax'],
      ['base', 'fee', 'rate'],
      [],
    ])
    const row = await subRuleIn(scope(), its.project, 'fee')
    const contents = await contentsById(scope(), row === undefined ? [] : [row])
    expect([...contents]).toMatchObject([[own, { graph: { startStepId: 'fee-2' } }]])
  })

  test('name their users: drafts and sub-rules, where no other one of the name is used, within the limits of a key', async () => {
    await add(null, 'fee')
    await addDraft(its.project, 'here', ['fee', 'other'])
    await addDraft(other, 'there', ['fee'])
    await addDraft(other, 'gone', ['fee'], new Date())
    await add(null, 'above', ['fee'])
    await add(other, 'beside', ['fee'])
    const users = async (owner: string | null, projects: readonly string[] | null = null) =>
      ((await usersOf(scope(), owner, ['fee'], projects)).get('fee') ?? []).map(({ kind, name }) => `${kind} ${name}`)
    expect(await users(null)).toEqual(['ruleset here', 'ruleset there', 'sub_rule above', 'sub_rule beside'])
    expect(await users(null, [its.project])).toEqual(['ruleset here', 'sub_rule above'])
    await add(other, 'fee')
    expect(await users(null)).toEqual(['ruleset here', 'sub_rule above'])
    expect(await users(other)).toEqual(['ruleset there', 'sub_rule beside'])
    expect(await users(other, [its.project])).toEqual([])
  })

  test('have saves of their own, from the last one on, with one more than the page', async () => {
    await add(its.project, 'fee', [], 3)
    await add(its.project, 'tax', [], 3)
    const row = await subRuleIn(scope(), its.project, 'fee')
    if (row === undefined) throw new Error('there is no sub-rule')
    const seqs = async (limit: number, before?: number) =>
      (await savesOfSubRule(scope(), row, { limit, before })).map(({ seq }) => seq)
    expect([await seqs(9), await seqs(1), await seqs(9, 3)]).toEqual([
      [3, 2, 1],
      [3, 2],
      [2, 1],
    ])
    expect(await saveOfSubRule(scope(), row, 2)).toMatchObject({
      seq: 2,
      version: '1.2.0',
      savedBy: 'author-2',
      graph: { startStepId: 'fee-2' },
    })
    expect(await saveOfSubRule(scope(), row, 4)).toBeUndefined()
  })
})

describe('the audit', () => {
  const ALL: AuditFilter = {
    actor: undefined,
    action: undefined,
    objectType: undefined,
    objectId: undefined,
    projectId: undefined,
    from: undefined,
    to: undefined,
    projectIds: undefined,
  }
  const times = [1, 2, 3].map((second) => new Date(second * 1000))
  beforeEach(async () => {
    for (const [index, project] of [its.project, other, undefined].entries()) {
      const name = `entry ${index}`
      const actor = { type: 'user', id: `person-${index}`, name: `Person ${index}` } as const
      const author = { actor, ip: '192.0.2.1', requestId: 'r-1' }
      await database().change(its.org, author, ({ audit }) =>
        audit({
          action: index === 0 ? 'fact.created' : 'contract.created',
          object: { id: `object-${index}`, name },
          before: { index },
          after: { index: index + 1 },
          ...(project === undefined ? {} : { projectId: project }),
        }),
      )
      const { tables } = database().unscoped
      await tables
        .updateTable('audit_entries')
        .set({ at: times[index] ?? new Date() })
        .where('object_name', '=', name)
        .where('org_id', '=', its.org)
        .execute()
    }
  })

  test.each<readonly [string, () => Partial<AuditFilter>, readonly number[]]>([
    ['nothing', () => ({}), [2, 1, 0]],
    ['the id of an actor', () => ({ actor: 'person-1' }), [1]],
    ['the name of an actor', () => ({ actor: 'Person 2' }), [2]],
    ['an action', () => ({ action: 'fact.created' }), [0]],
    ['a type', () => ({ objectType: 'contract' }), [2, 1]],
    ['an object', () => ({ objectId: 'object-2' }), [2]],
    ['a project', () => ({ projectId: other }), [1]],
    ['the projects of a key', () => ({ projectIds: [its.project] }), [0]],
    ['a time from, which counts', () => ({ from: times[1] }), [2, 1]],
    ['a time to, which does not', () => ({ to: times[1] }), [0]],
  ])('is filtered by %s, in pages and as a whole', async (_name, filter, expected) => {
    const names = expected.map((index) => `entry ${index}`)
    const page: Page = { ...PAGE, sort: 'created_at', descending: true }
    const { rows } = await auditOn(scope(), { ...ALL, ...filter() }, page)
    expect(rows.map(({ object_name }) => object_name)).toEqual(names)
    const all = (await Array.fromAsync(auditPieces(scope(), { ...ALL, ...filter() }))).flat()
    expect(all.map(({ object }) => object.name)).toEqual(names)
    const shown = expected.map((index) => ({ before: { index }, after: { index: index + 1 }, request_id: 'r-1' }))
    expect(all).toMatchObject(shown.map((entry) => ({ ...entry, ip: '192.0.2.1' })))
  })

  test('is searched by actor, action and object', async () => {
    const found = async (contains: string) =>
      (await auditOn(scope(), ALL, { ...PAGE, sort: 'created_at', contains })).rows.map((row) => row.object_name)
    expect(await found('person 1')).toEqual(['entry 1'])
    expect(await found('FACT.')).toEqual(['entry 0'])
    expect(await found('entry 2')).toEqual(['entry 2'])
  })

  test('is written as a whole in several pieces, each entry once', async () => {
    await database().note(its.org, async ({ scope: own }) => {
      const [row] = await own.read('audit_entries').selectFrom('audit_entries').selectAll().limit(1).execute()
      if (row === undefined) throw new Error('there is no entry')
      const rows = Array.from({ length: 1000 - 3 }, () => ({ ...row, id: randomUUIDv7(), before: null, after: null }))
      await own.insert('audit_entries', rows).execute()
    })
    const pieces = await Array.fromAsync(auditPieces(scope(), ALL))
    const ids = pieces.flat().map(({ id }) => id)
    expect([pieces.length, ids.length, new Set(ids).size]).toEqual([2, 1000, 1000])
    expect(ids).toEqual(ids.toSorted().toReversed())
  })
})
