import type { DraftRuleset } from '@engine/authoring'
import { randomUUIDv7 } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { StaleDraft } from '../../apps/platform-server/src/features/drafts/draft-store.ts'
import {
  allDrafts,
  deletedDraft,
  deploymentsOn,
  draftAt,
  draftNamed,
  type DraftRow,
  draftsOn,
  hasSave,
  lastSeqOf,
  liveOf,
  saveLength,
  saveText,
  savesOn,
} from '../../apps/platform-server/src/features/drafts/repository.ts'
import { smallDraft } from '../../apps/platform-server/src/features/drafts/sent-draft.ts'
import {
  deleteDraft,
  duplicateDraft,
  renameDraft,
  restoreDraft,
  restoreSave,
  saveDraft,
} from '../../apps/platform-server/src/features/drafts/service.ts'
import { useDatabase } from './databases.testing.ts'
import { newRolloutSteps, type RolloutSteps } from './rollout-steps.testing.ts'

// The tests store drafts as rows; no server runs.
const database = useDatabase('postgres')
let its: RolloutSteps
beforeEach(async () => {
  its = await newRolloutSteps(database())
})

const scope = () => database().scope(its.org)
const acting = () => its.operating().acting
const PAGE = { limit: 50, sort: 'name', descending: false, after: undefined, contains: undefined } as const

const ruleset = (name: string, version = '1.0.0', sub_rule?: string) =>
  ({
    config: { name, version },
    startStepId: 'end',
    steps: [
      { id: 'end', type: 'terminal', code: 'A' },
      ...(sub_rule === undefined
        ? []
        : [{ id: 's', type: 'sub_rule', refName: sub_rule, bindings: [], outputs: [], nextStepId: 'end' }]),
    ],
  }) as unknown as DraftRuleset
const save = async (draft: DraftRuleset, expected: number) =>
  (await saveDraft(acting(), smallDraft(draft), expected)).row
const named = async (name: string): Promise<DraftRow> => {
  const row = await draftNamed(scope(), its.project, name)
  if (row === undefined) throw new Error(`there is no draft ${name}`)
  return row
}

describe('a draft is saved', () => {
  test('by its last number alone, and dated anew', async () => {
    const first = await save(ruleset('fee'), 0)
    const second = await save(ruleset('fee', '1.1.0'), 1)
    expect(second).toMatchObject({ id: first.id, seq: 2, version: '1.1.0', updated_by: its.operating().acting.by })
    expect(second.updated_at.getTime()).toBeGreaterThan(first.updated_at.getTime() - 1)
    for (const stale of [0, 1, 3]) await expect(save(ruleset('fee'), stale)).rejects.toBeInstanceOf(StaleDraft)
    await expect(save(ruleset('tax'), 1)).rejects.toMatchObject({ code: 'not-found' })
    expect(await named('fee')).toMatchObject({ seq: 2, version: '1.1.0' })
  })

  test('never under a number that its name has had, also of a deleted draft or one with another name by now', async () => {
    await deleteDraft(acting(), await save(ruleset('fee'), 0), 1)
    expect((await save(ruleset('fee'), 0)).seq).toBe(2)
    await save(ruleset('fee'), 2)
    await save(ruleset('tax'), 0)
    await renameDraft(acting(), await named('fee'), 'old', undefined)
    expect((await renameDraft(acting(), await named('tax'), 'fee', 1)).seq).toBe(4)
  })
})

describe('the saves of a draft', () => {
  beforeEach(async () => {
    for (const seq of [0, 1, 2]) await save(ruleset('fee', `1.${seq}.0`, seq === 0 ? 'rule' : undefined), seq)
  })

  test('are listed from the last one on, with one more than asked for', async () => {
    const { id } = await named('fee')
    await save(ruleset('tax'), 0)
    const seqs = async (limit: number, before?: number) =>
      (await savesOn(scope(), id, { limit, before })).map(({ seq }) => seq)
    expect([await seqs(9), await seqs(1), await seqs(9, 3), await seqs(9, 1)]).toEqual([[3, 2, 1], [3, 2], [2, 1], []])
  })

  test('are found by name and number', async () => {
    const row = await named('fee')
    const versions = [1, 2, 3].map(
      async (seq) => (await draftAt(scope(), its.project, 'fee', seq))?.ruleset.config.version,
    )
    expect(await Promise.all(versions)).toEqual(['1.0.0', '1.1.0', '1.2.0'])
    expect(await draftAt(scope(), its.project, 'fee', 4)).toBeUndefined()
    expect(await draftAt(scope(), its.project, 'tax', 1)).toBeUndefined()
    expect(await draftAt(scope(), randomUUIDv7(), 'fee', 1)).toBeUndefined()
    expect([await hasSave(scope(), row, 3), await hasSave(scope(), row, 4)]).toEqual([true, false])
    expect(await lastSeqOf(scope(), its.project, 'fee')).toBe(3)
    expect(await lastSeqOf(scope(), its.project, 'tax')).toBe(0)
    const { text } = (await saveText(scope(), row, 1)) ?? {}
    expect(await saveLength(scope(), its.project, 'fee', 1)).toBe(text?.length)
    expect(await saveLength(scope(), its.project, 'fee', 4)).toBeUndefined()
  })

  test('name the sub-rules that each of them uses', async () => {
    const row = await named('fee')
    const uses = [1, 3].map(async (seq) => (await saveText(scope(), row, seq))?.uses)
    expect(await Promise.all(uses)).toEqual([['rule'], []])
  })

  test('become the present one again under the present name', async () => {
    await renameDraft(acting(), await named('fee'), 'cost', 3)
    const { ruleset: restored, seq } = await restoreSave(acting(), await named('cost'), 1, 4)
    expect([restored.config, seq]).toEqual([{ name: 'cost', version: '1.0.0' }, 5])
    await expect(restoreSave(acting(), await named('cost'), 1, 4)).rejects.toBeInstanceOf(StaleDraft)
    await expect(restoreSave(acting(), await named('cost'), 9, 5)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('a renaming by a number that is not the last one is refused', async () => {
    await expect(renameDraft(acting(), await named('fee'), 'cost', 2)).rejects.toBeInstanceOf(StaleDraft)
    expect(await draftNamed(scope(), its.project, 'cost')).toBeUndefined()
  })

  test('a taken name is refused for a copy', async () => {
    await save(ruleset('tax'), 0)
    await expect(duplicateDraft(acting(), await named('fee'), 'tax')).rejects.toThrow(
      'there is a ruleset `tax` already',
    )
    expect((await duplicateDraft(acting(), await named('fee'), 'copy')).ruleset.config).toEqual({
      name: 'copy',
      version: '1.2.0',
    })
  })
})

describe('a deleted draft', () => {
  const names = async (isDeleted: boolean) =>
    (await draftsOn(scope(), its.project, PAGE, isDeleted)).map(({ name, seq }) => [name, seq])

  test('is among the deleted ones alone, and the one that was deleted last is restored', async () => {
    await deleteDraft(acting(), await save(ruleset('fee'), 0), 1)
    await deleteDraft(acting(), await save(ruleset('fee', '2.0.0'), 0), 2)
    await save(ruleset('tax'), 0)
    await its.change(({ scope: all }) =>
      all
        .update('drafts')
        .set({ deleted_at: new Date(0) })
        .where('seq', '=', 1)
        .where('name', '=', 'fee')
        .execute(),
    )
    expect([await names(false), await names(true)]).toEqual([
      [['tax', 1]],
      [
        ['fee', 1],
        ['fee', 2],
      ],
    ])
    expect((await allDrafts(scope(), its.project)).map(({ name }) => name)).toEqual(['tax'])
    expect(await deletedDraft(scope(), its.project, 'tax')).toBeUndefined()
    expect(await draftNamed(scope(), its.project, 'fee')).toBeUndefined()
    expect((await restoreDraft(acting(), 'fee')).ruleset.config.version).toBe('2.0.0')
    expect(await names(true)).toEqual([['fee', 1]])
    await expect(restoreDraft(acting(), 'tax')).rejects.toMatchObject({ code: 'not-found' })
  })

  test('is neither saved nor deleted a second time', async () => {
    const row = await save(ruleset('fee'), 0)
    await expect(deleteDraft(acting(), row, 2)).rejects.toBeInstanceOf(StaleDraft)
    await deleteDraft(acting(), row, 1)
    await expect(deleteDraft(acting(), row, 1)).rejects.toBeInstanceOf(StaleDraft)
    await expect(restoreSave(acting(), row, 1, 1)).rejects.toBeInstanceOf(StaleDraft)
  })

  test('each step is in the audit with the state before and after', async () => {
    await save(ruleset('fee'), 0)
    await save(ruleset('fee', '1.1.0'), 1)
    await renameDraft(acting(), await named('fee'), 'cost', 2)
    await deleteDraft(acting(), await named('cost'), 3)
    await restoreDraft(acting(), 'cost')
    const entries = await scope()
      .read('audit_entries')
      .selectFrom('audit_entries')
      .select(['action', 'before', 'after'])
      .where('object_type', '=', 'draft')
      .orderBy('at')
      .execute()
    const [first, second, third] = [
      { name: 'fee', seq: 1, version: '1.0.0' },
      { name: 'fee', seq: 2, version: '1.1.0' },
      { name: 'cost', seq: 3, version: '1.1.0' },
    ]
    expect(entries.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['draft.created', null, first],
      ['draft.updated', first, second],
      ['draft.renamed', second, third],
      ['draft.deleted', third, null],
      ['draft.restored', null, third],
    ])
  })
})

describe('what was deployed of a ruleset', () => {
  const deploy = (environment: string, seq: number, digest: string, more: { name?: string; day: number }) => ({
    id: randomUUIDv7(),
    environment_id: its.environment(environment),
    ruleset_name: more.name ?? 'fee',
    version: `1.${seq}.0`,
    seq,
    digest,
    status: 'success' as const,
    release_note: '',
    deployed_by: 'system',
    deployed_at: new Date(Date.UTC(2026, 0, more.day)),
  })

  /** The digest of a content that is stored. */
  async function contentOf(name: string): Promise<string> {
    await its.makeLive('dev', 1, name)
    return (await liveOf(scope(), its.project, [name]))[0]?.digest ?? ''
  }

  test('is listed by environment, those of a limited key alone', async () => {
    const digest = await contentOf('any')
    const rows = [
      deploy('dev', 1, digest, { day: 1 }),
      deploy('prod', 2, digest, { day: 2 }),
      deploy('prod', 3, digest, { day: 3, name: 'tax' }),
    ]
    await its.change(({ scope: all }) => all.insert('deployments', rows).execute())
    const shown = async (only: readonly string[] | null, project = its.project) =>
      (await deploymentsOn(scope(), project, 'fee', { ...PAGE, sort: 'created_at' }, only)).map((row) => [
        row.environment,
        row.seq,
      ])
    expect(await shown(null)).toEqual([
      ['dev', 1],
      ['prod', 2],
    ])
    expect(await shown(['prod'])).toEqual([['prod', 2]])
    expect([await shown([]), await shown(null, randomUUIDv7())]).toEqual([[], []])
  })

  test('is live with the last save that has its content there', async () => {
    // Environments come by their position, not by their name.
    const id = its.environment('dev')
    await its.change(({ scope: all }) =>
      all.update('environments').set({ name: 'test' }).where('id', '=', id).execute(),
    )
    const release = await its.makeLive('prod', 1)
    await its.makeLive('dev', 2)
    await its.makeLive('dev', 3, 'tax')
    const live = async (...names: readonly string[]) =>
      (await liveOf(scope(), its.project, names)).map(({ environment, name, seq }) => [environment, name, seq])
    const [fee] = (await liveOf(scope(), its.project, ['fee'])).filter(({ environment }) => environment === 'prod')
    const digest = fee?.digest ?? ''
    expect(fee).toMatchObject({ release_id: release, release_number: 1, version: '1.0.0', seq: null })
    const rows = [
      deploy('prod', 7, digest, { day: 2 }),
      deploy('prod', 6, digest, { day: 1 }),
      deploy('prod', 8, await contentOf('any'), { day: 3 }),
      deploy('dev', 9, digest, { day: 3 }),
      deploy('prod', 10, digest, { day: 3, name: 'tax' }),
    ]
    await its.change(({ scope: all }) => all.insert('deployments', rows).execute())
    expect(await live('fee')).toEqual([
      ['test', 'fee', null],
      ['prod', 'fee', 7],
    ])
    expect(await live('tax')).toEqual([['test', 'tax', null]])
    expect(await live()).toEqual([])
    expect(await liveOf(scope(), randomUUIDv7(), ['fee'])).toEqual([])
  })
})
