import { jsonValue, stringifyJson, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { inRange, pick, type Random, seededRandom, some } from '../../../ruleset/src/random.testing.ts'
import { convertDraft } from '../convert/convert.ts'
import { decodeDraft } from '../draft/decode.ts'
import type { DraftGraph, DraftRuleset, DraftStep } from '../draft/model.ts'
import { interpretDraft } from '../interpret.testing.ts'
import { randomDraft, randomInput } from '../random.testing.ts'
import { edgesOf, insertOnEdge } from './edges.ts'
import { extractSubRule } from './extract.ts'
import { copySteps } from './fragment.ts'
import { inlineSubRule } from './inline.ts'
import { duplicateSteps, pasteSteps } from './paste.ts'
import { removeStep } from './remove.ts'
import { type OrderedList, reorder } from './reorder.ts'

const CASES = casesOf(2000)

function decoded(document: Value): DraftRuleset {
  const { draft, problems } = decodeDraft(document)
  if (draft === undefined) throw new Error(JSON.stringify(problems))
  return draft
}

const draftOf = (steps: readonly Value[], more: object = {}) =>
  decoded({ config: { name: 'x' }, startStepId: 'a', steps: [...steps], ...more })
const action = (id: string, nextStepId?: string, more: object = {}): Value => ({
  id,
  type: 'action',
  assignments: [],
  ...(nextStepId === undefined ? {} : { nextStepId }),
  ...more,
})
const terminal = (id: string): Value => ({ id, type: 'terminal', code: 'END' })
const use = (id: string, refName: string, nextStepId = 'end'): Value => ({ id, type: 'sub_rule', refName, nextStepId })
const choice = (id: string, yes: string, no: string): Value => ({
  id,
  type: 'decision',
  branches: [{ id: 'b1', condition: 'vip', nextStepId: yes }],
  defaultNextStepId: no,
})

const errorsOf = (draft: DraftRuleset) => convertDraft(draft).problems.filter(({ severity }) => severity === 'error')

describe('a step is removed', () => {
  test('and edges to it lead to its only successor', () => {
    const draft = draftOf([choice('a', 'b', 'c'), action('b', 'c'), terminal('c')])
    const found = removeStep(draft, 'b')
    expect(found?.graph).toEqual(draftOf([choice('a', 'c', 'c'), terminal('c')]))
    expect(found?.rejoined).toEqual([{ step: 'a', exit: { kind: 'branch', id: 'b1' }, target: 'c' }])
    expect(found?.opened).toEqual([])
  })

  test('and the entry moves on when it was the first step', () => {
    const draft = draftOf([action('a', 'b'), terminal('b')])
    expect(removeStep(draft, 'a')?.graph).toEqual(draftOf([terminal('b')], { startStepId: 'b' }))
    expect(removeStep(draftOf([choice('a', 'b', 'c'), terminal('b'), terminal('c')]), 'a')?.graph).toEqual(
      decoded({ config: { name: 'x' }, steps: [terminal('b'), terminal('c')] }),
    )
  })

  test('and edges left without a target are reported', () => {
    const found = removeStep(draftOf([action('a', 'b'), choice('b', 'c', 'd'), terminal('c'), terminal('d')]), 'b')
    expect(found?.graph.steps[0]).toEqual(action('a'))
    expect(found?.opened).toEqual([{ step: 'a', exit: { kind: 'next' }, target: 'b' }])
  })

  test('which may lead to itself, or may not exist', () => {
    const draft = draftOf([action('a', 'b'), choice('b', 'b', 'c'), terminal('c')])
    expect(removeStep(draft, 'b')?.graph.steps[0]).toEqual(action('a', 'c'))
    expect(removeStep(draft, 'z')).toBeUndefined()
  })
})

describe('an item is moved', () => {
  const rows = ['r1', 'r2', 'r3'].map((id) => ({ id, cells: {} }))
  const draft = draftOf([{ id: 'a', type: 'table', hitPolicy: 'first', columns: [], rows }])
  const order = (from: number, to: number, list: OrderedList = 'rows') => {
    const [step] = reorder(draft, { step: 'a', list, from, to }).steps
    return step?.type === 'table' ? step.rows.map(({ id }) => id).join(' ') : ''
  }
  test.each([
    [0, 2, 'r2 r3 r1'],
    [2, 0, 'r3 r1 r2'],
    [1, 1, 'r1 r2 r3'],
    [0, 99, 'r2 r3 r1'],
    [3, 0, 'r1 r2 r3'],
    [-1, 0, 'r1 r2 r3'],
    [0, -1, 'r1 r2 r3'],
    [0, 0.5, 'r1 r2 r3'],
  ])('from %d to %d', (from, to, expected) => expect(order(from, to)).toBe(expected))

  test.each([
    [1, 1],
    [2, 99],
    [3, 0],
    [0, 0.5],
  ])('from %d to %d without a change of the draft', (from, to) => {
    expect(reorder(draft, { step: 'a', list: 'rows', from, to })).toBe(draft)
  })

  test('only where there is such a list', () => {
    expect(reorder(draft, { step: 'a', list: 'branches', from: 0, to: 1 })).toBe(draft)
    expect(reorder(draft, { step: 'z', list: 'rows', from: 0, to: 1 })).toBe(draft)
  })
})

describe('steps are pasted', () => {
  const draft = draftOf([action('a', 'b', { name: 'Check' }), action('b', 'end'), terminal('end')])

  test('under ids and names that are free, with the edges between them', () => {
    const found = pasteSteps(draft, copySteps(draft, ['b', 'a', 'unknown']))
    expect(found.problems).toEqual([])
    expect(Object.fromEntries(found.ids)).toEqual({ a: 'a_2', b: 'b_2' })
    expect(found.draft?.steps.slice(3)).toEqual([action('a_2', 'b_2', { name: 'Check 2' }), action('b_2')])
    expect(found.draft?.steps[0]).toBe(draft.steps[0])
  })

  test.each<[string, Value]>([
    ['one step', action('new', 'end')],
    ['a list of steps', [action('new')]],
    ['a draft', { config: { name: 'other' }, startStepId: 'new', steps: [action('new')] }],
  ])('from %s', (_what, value) => {
    const found = pasteSteps(draft, stringifyJson(value))
    expect(found.draft?.steps.slice(3)).toEqual([action('new')])
  })

  test('with the same id twice: edges refer to the first', () => {
    const found = pasteSteps(draft, stringifyJson([action('n', 'n'), terminal('n')]))
    expect(found.draft?.steps.slice(3)).toEqual([action('n', 'n'), terminal('n_2')])
  })

  test('with the sub-rules that they use, under other names where they differ', () => {
    const graph = (code: string, ...steps: readonly Value[]) => ({
      startStepId: 'end',
      steps: [...steps, { ...(terminal('end') as object), code }],
    })
    const from = draftOf([use('a', 'outer'), use('b', 'same'), terminal('end')], {
      subRules: { outer: graph('A', use('i', 'inner')), inner: graph('B'), same: graph('C'), unused: graph('D') },
    })
    const into = draftOf([terminal('end')], {
      subRules: { outer: graph('A', use('i', 'inner')), inner: graph('other'), same: graph('C') },
    })
    const found = pasteSteps(into, copySteps(from, ['a', 'b'])).draft
    expect(Object.keys(found?.subRules ?? {})).toEqual(['outer', 'inner', 'same', 'outer_2', 'inner_2'])
    expect(found?.subRules?.['outer_2']?.steps).toMatchObject([{ refName: 'inner_2' }, { code: 'A' }])
    expect(found?.subRules?.['inner_2']?.steps).toMatchObject([{ code: 'B' }])
    expect(found?.steps.slice(1)).toMatchObject([{ refName: 'outer_2' }, { refName: 'same' }])
  })

  test('into a sub-rule, but not a use of itself', () => {
    const into = draftOf([use('a', 'one'), terminal('end')], { subRules: { one: { steps: [terminal('end')] } } })
    expect(pasteSteps(into, stringifyJson(action('n')), 'one').draft?.subRules?.['one']?.steps).toEqual([
      terminal('end'),
      action('n'),
    ])
    expect(pasteSteps(into, copySteps(into, ['a']), 'one').problems.map(({ code }) => code)).toEqual(['sub-rule-cycle'])
    const outside = { one: { steps: [terminal('end')] }, two: { steps: [use('b', 'one'), terminal('end')] } }
    const through = copySteps(draftOf([use('a', 'two'), terminal('end')], { subRules: outside }), ['a'])
    expect(pasteSteps(into, through, 'one').problems.map(({ code }) => code)).toEqual(['sub-rule-cycle'])
    expect(pasteSteps(into, through).problems).toEqual([])
    expect(pasteSteps(into, '[]', 'none').problems.map(({ code }) => code)).toEqual(['unknown-sub-rule'])
  })

  test.each<[string, string, string]>([
    ['no JSON', '{', 'unreadable'],
    ['a text', '"x"', 'wrong-type'],
    ['a step of an unknown type', '{"id": "a", "type": "loop"}', 'wrong-type'],
    ['a step without an id', '[{"type": "action"}]', 'missing-field'],
    ['steps that are none', '{"steps": 5}', 'wrong-type'],
    ['keys that are given twice', '{"id": "a", "id": "b", "type": "action"}', 'unreadable'],
    ['lists nested 1,000 deep', '['.repeat(1000) + ']'.repeat(1000), 'unreadable'],
    ['keys that name prototypes', '{"__proto__": {"steps": []}, "constructor": 1}', 'missing-field'],
  ])('unless the text has %s', (_what, text, code) => {
    const found = pasteSteps(draft, text)
    expect(found.draft).toBeUndefined()
    expect(found.problems.map((problem) => problem.code)).toContain(code)
  })
})

test('steps are duplicated next to the originals, with the same targets', () => {
  const draft = draftOf([action('a', 'b'), action('b', 'end'), terminal('end')])
  const found = duplicateSteps(draft, ['a', 'b', 'z'])
  expect(found.graph.steps.slice(3)).toEqual([action('a_2', 'b_2'), action('b_2', 'end')])
  expect(duplicateSteps(draft, ['z']).graph).toBe(draft)
})

/** One kind of edit, what it must leave unchanged, and whether decisions stay the same. */
interface Edited {
  readonly draft: DraftRuleset
  readonly touched: readonly string[]
  readonly isSame: boolean
}

const EDITS: readonly ((random: Random, draft: DraftRuleset) => Edited | undefined)[] = [
  (random, draft) => {
    const { graph } = duplicateSteps(draft, someIds(random, draft))
    return { draft: graph, touched: [], isSame: true }
  },
  (random, draft) => {
    const other = decoded(randomDraft(random))
    const pasted = pasteSteps(draft, copySteps(other, someIds(random, other))).draft
    // Disconnected edges are connected, as authors would do.
    return pasted && { draft: joined(pasted, draft.steps.at(-1)?.id), touched: [], isSame: true }
  },
  (random, draft) => {
    const { id } = pick(random, draft.steps)
    const found = removeStep(draft, id)
    if (found === undefined || found.opened.length > 0 || found.graph.startStepId === undefined) return undefined
    return { draft: found.graph, touched: [id, ...found.rejoined.map(({ step }) => step)], isSame: false }
  },
  (random, draft) => {
    const step = pick(random, draft.steps)
    const lists = Object.entries(step).filter(([, list]) => Array.isArray(list) && list.length > 0)
    if (lists.length === 0) return undefined
    const [list, items] = pick(random, lists) as readonly [OrderedList, readonly unknown[]]
    const [from, to] = [inRange(random, 0, items.length - 1), inRange(random, 0, items.length - 1)]
    const moved = reorder(draft, { step: step.id, list, from, to })
    const back = reorder(moved, { step: step.id, list, from: to, to: from })
    expect(back).toEqual(draft)
    return { draft: moved, touched: [step.id], isSame: from === to }
  },
  (random, draft) => {
    const edges = draft.steps.flatMap(edgesOf)
    if (edges.length === 0) return undefined
    const edge = pick(random, edges)
    const found = insertOnEdge(draft, edge, { id: 'inserted', type: 'action', assignments: [] })
    return found && { draft: found, touched: [edge.step], isSame: true }
  },
  (random, draft) => {
    const inner = { steps: draft.steps.filter(({ type }) => type !== 'terminal') }
    const tries = Array.from({ length: 8 }, () => extractSubRule(draft, someIds(random, inner), { name: 'part' }))
    const found = tries.find(({ kind }) => kind === 'edited')
    if (found?.kind !== 'edited') return undefined
    const kept = new Set(found.draft.steps.map(({ id }) => id))
    const gone = draft.steps.flatMap(({ id }) => (kept.has(id) ? [] : [id]))
    const leading = draft.steps.filter((step) => edgesOf(step).some(({ target }) => gone.includes(target)))
    return { draft: found.draft, touched: [...gone, ...leading.map(({ id }) => id)], isSame: true }
  },
  (random, draft) => {
    const uses = draft.steps.filter(({ type }) => type === 'sub_rule')
    if (uses.length === 0) return undefined
    const { id } = pick(random, uses)
    const found = inlineSubRule(draft, id)
    if (found.kind === 'refused') throw new Error(found.message)
    const leading = draft.steps.filter((step) => edgesOf(step).some(({ target }) => target === id))
    return { draft: found.draft, touched: [id, ...leading.map((step) => step.id)], isSame: true }
  },
]

const someIds = (random: Random, { steps }: DraftGraph) => some(random, steps, 1, steps.length).map(({ id }) => id)

/** Connects disconnected edges to a step. */
function joined(draft: DraftRuleset, target: string | undefined): DraftRuleset {
  const steps = draft.steps.map((step): DraftStep => {
    if (target === undefined || step.type === 'terminal') return step
    if (step.type === 'decision') {
      const branches = step.branches.map((branch) => ({ nextStepId: target, ...branch }))
      return { ...step, branches }
    }
    return { nextStepId: target, ...step }
  })
  return { ...draft, steps }
}

test(`${CASES} random edits keep a valid draft valid, share what they leave, and change no draft that they are given`, () => {
  printSeed(CASES)
  const random = seededRandom(SEED)
  const seen = EDITS.map(() => 0)
  for (let count = 0; count < CASES; count++) {
    const draft = decoded(randomDraft(random))
    const before = stringifyJson(draft)
    const kind = count % EDITS.length
    const edited = EDITS[kind]?.(random, draft)
    expect(stringifyJson(draft)).toBe(before)
    if (edited === undefined) continue
    seen[kind] = (seen[kind] ?? 0) + 1
    const context = () => JSON.stringify({ kind, draft, edited: edited.draft }, undefined, 1)
    expect(errorsOf(edited.draft), context()).toEqual([])
    const again = decoded(jsonValue(stringifyJson(edited.draft)))
    expect(again, context()).toEqual(edited.draft)
    const now = new Map(edited.draft.steps.map((step) => [step.id, step]))
    for (const step of draft.steps)
      if (kind !== 1 && !edited.touched.includes(step.id))
        expect(now.get(step.id) === step, `${step.id} ${context()}`).toBe(true)
    if (!edited.isSame) continue
    const input = randomInput(random)
    expect(outcome(edited.draft, input), context()).toBe(outcome(draft, input))
  }
  expect(Math.min(...seen)).toBeGreaterThan(CASES / EDITS.length / 10)
}, 1_200_000)

function outcome(draft: DraftRuleset, input: Value): string {
  try {
    return stringifyJson(interpretDraft(draft, input))
  } catch {
    return 'error'
  }
}
