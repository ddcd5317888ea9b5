import type { DraftRuleset, Row } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { analyses } from './findings.ts'
import { perform } from './task-runner.ts'
import type { Subject } from './tasks.ts'
import { whyNotOf } from './why-not.ts'

const row = (id: string, country: string, weight: string, price = '1'): Row => ({
  id,
  cells: { c: country, w: weight, p: price },
})

function prices(rows: readonly Row[], isOpen = false): Subject {
  const draft: DraftRuleset = {
    config: { name: 'prices' },
    startStepId: 't',
    steps: [
      {
        id: 't',
        type: 'table',
        hitPolicy: 'first',
        columns: [
          { id: 'c', kind: 'input', field: 'country', type: 'string' },
          { id: 'w', kind: 'input', field: 'weight', type: 'number' },
          { id: 'p', kind: 'output', field: 'price' },
        ],
        rows,
        nextStepId: 'done',
        ...(!isOpen && { defaultNextStepId: 'none' }),
      },
      { id: 'done', type: 'terminal', code: 'PRICED', output: [{ name: 'price', value: '$price' }] },
      { id: 'none', type: 'terminal', code: 'NONE' },
    ],
  }
  return { draft, subRules: {}, contract: undefined, concepts: [] }
}

const ROWS = [row('r1', '"DE"', '<= 5'), row('r2', '"DE"', ''), row('r3', '"DE"', '(2..10]')]
const analysed = (subject: Subject) => analyses('findings', { ...subject, samples: [] })
const found = async (subject: Subject) => (await analysed(subject)).findings

describe('the findings of a table', () => {
  test('name the rows that take every input of another one first', async () => {
    expect(await found(prices(ROWS))).toContainEqual({
      kind: 'shadowed',
      path: '/steps/0/rows/2',
      severity: 'error',
      by: ['/steps/0/rows/1'],
    })
  })

  test('show an input that no row matches, as a notice', async () => {
    expect(await found(prices(ROWS))).toContainEqual(
      expect.objectContaining({ kind: 'gap', path: '/steps/0', severity: 'notice', input: expect.anything() }),
    )
    expect(await found(prices(ROWS, true))).toContainEqual(expect.objectContaining({ kind: 'gap', severity: 'notice' }))
    expect((await found(prices([...ROWS, row('r4', '', '')]))).filter(({ kind }) => kind === 'gap')).toEqual([])
  })

  test('name a row that always matches where it makes something unreachable, and not where it completes the table', async () => {
    const rest = row('r4', '', '')
    const always = async (subject: Subject) =>
      (await found(subject)).flatMap(({ kind, path }) => (kind === 'always_true' ? [path] : []))
    expect(await always(prices([...ROWS, rest]))).toEqual(['/steps/0/rows/3'])
    expect(await always(prices([...ROWS, rest], true))).toEqual([])
    expect(await always(prices([rest, ...ROWS], true))).toEqual(['/steps/0/rows/0'])
  })

  test('remark on rows that an earlier one with another result can come before', async () => {
    const rows = [row('r1', '"DE"', '<= 5'), row('r2', '"DE"', '(2..10]', '2'), row('r3', '"DE"', '> 20')]
    expect((await found(prices(rows))).filter(({ kind }) => kind === 'overlap')).toEqual([
      {
        kind: 'overlap',
        path: '/steps/0/rows/1',
        severity: 'info',
        by: ['/steps/0/rows/0'],
        input: expect.anything(),
        stubs: {},
      },
    ])
    const only = prices(rows)
    const [table, ...steps] = only.draft.steps
    const unique = { ...only, draft: { ...only.draft, steps: [{ ...table, hitPolicy: 'unique' }, ...steps] } }
    expect(await found(unique as Subject)).toContainEqual(
      expect.objectContaining({ kind: 'overlap', severity: 'error' }),
    )
  })

  test('name a result that nothing leads to once', async () => {
    const ends = (await found(prices(ROWS, true))).filter(({ path }) => path === '/steps/2')
    expect(ends.map(({ kind }) => kind)).toEqual(['unreachable_step'])
  })

  test('show an input that fails in a row', async () => {
    const subject = prices([row('r1', '"DE"', '', '10 / weight'), row('r2', '', '')])
    expect(await found(subject)).toContainEqual(
      expect.objectContaining({ kind: 'can_fail', path: '/steps/0/rows/0', error: 'division-by-zero' }),
    )
  })

  test('come with an input for each row that is reached, and for “otherwise”', async () => {
    const { inputs } = await analysed(prices(ROWS))
    expect([...inputs.keys()].toSorted()).toEqual(['/steps/0/default', '/steps/0/rows/0', '/steps/0/rows/1'])
    expect(inputs.get('/steps/0/rows/0')).toMatchObject({ input: { country: 'DE' } })
  })

  test('follow the draft from edit to edit', async () => {
    expect((await found(prices(ROWS))).map(({ kind }) => kind)).toContain('shadowed')
    const other = await found(prices(ROWS.with(1, row('r2', '"AT"', ''))))
    expect(other.map(({ kind }) => kind)).not.toContain('shadowed')
    expect((await found(prices(ROWS))).map(({ kind }) => kind)).toContain('shadowed')
  })

  test('are empty for a draft that cannot be executed', async () => {
    expect(await analysed(prices([row('r1', 'DE', '')]))).toEqual({ findings: [], open: 0, inputs: new Map() })
  })
})

describe('the smallest change to another result', () => {
  test('names the fields that have to be different', () => {
    const answer = whyNotOf(prices([row('r1', '"DE"', '<= 5')]), { country: 'DE', weight: 7 }, 'PRICED')
    expect(answer).toMatchObject({ verdict: 'found', changes: [{ path: 'weight', from: 7 }] })
    expect(Number(answer.input?.['weight'])).toBeLessThanOrEqual(5)
  })

  test('is impossible for a result that no input has', () => {
    expect(whyNotOf(prices([row('r1', '', '')]), { country: 'DE' }, 'NONE').verdict).toBe('impossible')
  })
})

/** Decides by the answer of a service. */
const CREDIT: DraftRuleset = {
  config: { name: 'credit' },
  startStepId: 'ask',
  steps: [
    {
      id: 'ask',
      type: 'action',
      assignments: [],
      externalCalls: [{ type: 'function', target: 'bureau#score', params: { id: 'id' }, resultVariable: 'r' }],
      nextStepId: 'check',
    },
    {
      id: 'check',
      type: 'decision',
      branches: [{ id: 'b', condition: '$r.payload.score >= 500', nextStepId: 'yes' }],
      defaultNextStepId: 'no',
    },
    { id: 'yes', type: 'terminal', code: 'YES' },
    { id: 'no', type: 'terminal', code: 'NO' },
  ],
}

describe('a draft that asks a service', () => {
  const subject: Subject = { draft: CREDIT, subRules: {}, contract: undefined, concepts: [] }

  test('has examples with the answers that lead to each branch', async () => {
    const { inputs, open } = await analysed(subject)
    expect(open).toBe(0)
    expect([...inputs.keys()]).toEqual(['/steps/1/branches/0', '/steps/1/default'])
    const codes = await Promise.all(
      Array.from(inputs.values(), async (example) => {
        const outcome = await perform('run', { ...subject, ...example })
        return outcome.kind === 'ran' && outcome.run.code
      }),
    )
    expect(codes).toEqual(['YES', 'NO'])
    const { inputs: again } = await analysed(subject)
    expect(again.get('/steps/1/branches/0')?.stubs).toHaveProperty(['bureau.score', 'score'])
  })

  test('without an answer fails', async () => {
    expect(await perform('run', { ...subject, input: {} })).toMatchObject({ kind: 'ran', run: { code: null } })
  })
})

describe('a replay in the studio', () => {
  const call = (outcome: object) => ({ service: 'bureau', method: 'score', parameters: { id: 7 }, ...outcome })
  const answered = (score: number) => call({ answer: { payload: { score }, metadata: {} } })

  test.each<[title: string, calls: Value, code: string | null]>([
    ['answers calls as they were recorded', [answered(600)], 'YES'],
    ['with another answer decides otherwise', [answered(400)], 'NO'],
    ['fails where the call failed', [call({ error: 'failed' })], null],
    ['fails where the call was not recorded', [], null],
    ['fails where no calls were recorded', null, null],
    ['fails where another call was recorded', [{ ...answered(600), method: 'rating' }], null],
  ])('%s', async (_, calls, code) => {
    const subject: Subject = { draft: CREDIT, subRules: {}, contract: undefined, concepts: [] }
    const decisions = [{ input: { id: 7 }, at: 0, calls }]
    const outcome = await analyses('replay', { ...subject, decisions })
    expect(outcome).toMatchObject({ kind: 'ran', outcomes: [{ code }] })
  })
})
