import { describe, expect, test } from 'vitest'
import { decodeEntities } from '../standards/entities.ts'
import { decodeMapping } from '../standards/mapping.ts'
import { evaluateAccess, evaluateAll } from './authorization.ts'
import { executionOf, outcomeOf, OUTSIDE, sentOf } from './services.testing.ts'

const { execution, executed } = await executionOf([
  { name: 'owners', condition: 'subject.id == resource.properties.owner', output: { by: 'subject.id' } },
  { name: 'plain', condition: 'action.name == "read"' },
  { name: 'fragile', condition: '1 / context.divisor > 0' },
  {
    name: 'strict',
    condition: 'context.floor > 1',
    config: {
      contract: {
        mode: 'enforce',
        contract: {
          name: 'door',
          version: '1.0.0',
          input: { fields: [{ name: 'context.floor', type: 'number', required: true }] },
        },
      },
    },
  },
  { name: 'exact', condition: 'context.limit == 0.30000000000000000001', config: { numbers: 'decimal' } },
])

const rule = (resource: string, ruleset: string) => ({ resource, ruleset, permit: ['PERMIT'] })
const MAPPING = {
  rules: [
    rule('record', 'owners'),
    { ...rule('refused', 'plain'), permit: ['DENY'] },
    rule('page', 'plain'),
    rule('door', 'fragile'),
    rule('lift', 'strict'),
    rule('sum', 'exact'),
    rule('gone', 'not-stored'),
  ],
  context: ['code', 'reason', 'output'],
  max_evaluations: 4,
}
const ENTITIES = await decodeEntities('{"type":"record","id":"r1","properties":{"owner":"ada"}}')

const partsWith = (more: object = {}) => ({
  mapping: decodeMapping({ ...MAPPING, ...more }),
  entities: ENTITIES,
  execution,
})

const about = (type: string, id = 'r1', more: object = {}) => ({
  subject: { type: 'user', id: 'ada' },
  action: { name: 'read' },
  resource: { type, id },
  ...more,
})
const parsed = (text: string): unknown => JSON.parse(text)

/** The answer to a single request, or the code and message of its failure. */
const single = (body: object | string, more: object = {}) =>
  outcomeOf(async () =>
    parsed(
      await evaluateAccess(partsWith(more), sentOf(typeof body === 'string' ? body : JSON.stringify(body)), OUTSIDE),
    ),
  )

/** The answer to a batch, or the code and message of its failure. */
const batch = (body: object | string, more: object = {}) =>
  outcomeOf(async () =>
    parsed(await evaluateAll(partsWith(more), sentOf(typeof body === 'string' ? body : JSON.stringify(body)), OUTSIDE)),
  )

describe('one request', () => {
  test.each<[what: string, body: object, more: object, answer: unknown]>([
    [
      'by the properties of the resource',
      about('record'),
      {},
      { decision: true, context: { code: 'PERMIT', reason: 'is PERMIT', output: { by: 'ada' } } },
    ],
    ['without output', about('page'), {}, { decision: true, context: { code: 'PERMIT', reason: 'is PERMIT' } }],
    [
      'by a code that denies',
      about('page', 'p', { action: { name: 'write' } }),
      {},
      { decision: false, context: { code: 'DENY', reason: 'is DENY' } },
    ],
    [
      'with the code that its rule permits',
      about('refused'),
      { context: ['code'] },
      { decision: false, context: { code: 'PERMIT' } },
    ],
    [
      'with the reason alone',
      about('page'),
      { context: ['reason'] },
      { decision: true, context: { reason: 'is PERMIT' } },
    ],
    ['with the output alone, which is empty', about('page'), { context: ['output'] }, { decision: true }],
    ['with the decision alone', about('record'), { context: [] }, { decision: true }],
    [
      'without a rule',
      about('cup'),
      {},
      { decision: false, context: { reason: 'no rule for subject `user`, action `read`, resource `cup`' } },
    ],
    ['without a rule and a reason', about('cup'), { context: ['code'] }, { decision: false }],
    [
      'for a ruleset that is not stored',
      about('gone'),
      {},
      'execution-failed: the mapping names the ruleset `not-stored`, which is not stored',
    ],
    [
      'for receipts where none are kept',
      about('page', 'p', { options: { receipt: true } }),
      {},
      'receipts-off: this engine keeps no receipts (--receipts)',
    ],
    [
      'that asks for no receipt',
      about('page', 'p', { options: { receipt: false } }),
      { context: [] },
      { decision: true },
    ],
  ])('%s', async (_what, body, more, answer) => {
    expect(await single(body, more)).toEqual(answer)
  })

  test('is read with the digits of its ruleset', async () => {
    const text = JSON.stringify(about('sum', 's')).replace(/}$/, ',"context":{"limit":0.30000000000000000001}}')
    expect(await single(text, { context: [] })).toEqual({ decision: true })
    expect(await batch(text.replace(/}$/, ',"evaluations":[{},{"context":{"limit":0.3}}]}'), { context: [] })).toEqual({
      evaluations: [{ decision: true }, { decision: false }],
    })
  })

  test('names the deciding program before it runs', () => {
    const named: string[] = []
    void evaluateAccess(partsWith(), sentOf(JSON.stringify(about('page'))), OUTSIDE, ({ ruleset }) =>
      named.push(ruleset.config.name),
    )
    expect(named).toEqual(['plain'])
  })
})

const YES = { decision: true }
const NO = { decision: false }
const error = (status: number, message: unknown) => ({ decision: false, context: { error: { status, message } } })
const RESOURCES = { read: { type: 'page', id: 'p' }, fails: { type: 'door', id: 'd' }, none: { type: 'cup', id: 'c' } }

describe('a batch', () => {
  const body = (evaluations: readonly object[], more: object = {}) => ({ ...about('page'), evaluations, ...more })
  const write = { action: { name: 'write' } }

  test.each<[semantic: string | undefined, evaluations: readonly object[], answers: readonly object[]]>([
    [undefined, [{}, write, {}], [YES, NO, YES]],
    ['execute_all', [write, {}, write], [NO, YES, NO]],
    ['deny_on_first_deny', [{}, write, {}], [YES, NO]],
    ['permit_on_first_permit', [write, {}, write], [NO, YES]],
    ['deny_on_first_deny', [{}, { resource: RESOURCES.none }, {}], [YES, NO]],
    ['permit_on_first_permit', [{ resource: RESOURCES.none }, {}, {}], [NO, YES]],
    ['deny_on_first_deny', [{}, {}], [YES, YES]],
  ])('with the semantic %s answers %j', async (semantic, evaluations, answers) => {
    const options = semantic === undefined ? {} : { options: { evaluations_semantic: semantic } }
    expect(await batch(body(evaluations, options), { context: [] })).toEqual({ evaluations: answers })
  })

  test('names the fault of the request with 400, and that of the rules with 500', async () => {
    const evaluations = [
      { resource: RESOURCES.fails, context: { divisor: 0 } },
      { resource: { type: 'lift', id: 'l' }, context: { level: 1 } },
      { resource: 'text' },
      { resource: { type: 'gone', id: 'g' } },
    ]
    expect(await batch(body(evaluations))).toEqual({
      evaluations: [
        error(500, expect.stringContaining('zero')),
        error(400, expect.stringContaining('breaks the contract door')),
        error(400, '`/resource` must be an object, found the string `text`'),
        error(500, 'the mapping names the ruleset `not-stored`, which is not stored'),
      ],
    })
  })

  test.each<[what: string, body: object, answer: unknown]>([
    [
      'without items is a single request',
      body([]),
      { decision: true, context: { code: 'PERMIT', reason: 'is PERMIT' } },
    ],
    [
      'has at most as many items as the mapping allows',
      body([{}, {}, {}, {}]),
      { evaluations: [1, 2, 3, 4].map(() => expect.objectContaining(YES)) },
    ],
    [
      'of more items is refused',
      body([{}, {}, {}, {}, {}]),
      'invalid-request: `/evaluations` has 5 items, at most 4 are evaluated',
    ],
    [
      'whose semantic is unknown is refused',
      body([{}], { options: { evaluations_semantic: 'any' } }),
      'invalid-request: `/options/evaluations_semantic` must be one of `execute_all`, `deny_on_first_deny`, `permit_on_first_permit`',
    ],
    [
      'that asks for receipts where none are kept has no decision',
      body([{}], { options: { receipt: true } }),
      { evaluations: [error(500, 'this engine keeps no receipts (--receipts)')] },
    ],
  ])('%s', async (_what, sent, answer) => {
    expect(await batch(sent)).toEqual(answer)
  })

  test('counts each of its executions', async () => {
    executed.length = 0
    await batch(body([{}, write, { resource: RESOURCES.fails, context: { divisor: 0 } }]))
    expect(executed.map(({ name, code, error: message }) => [name, code ?? message])).toEqual([
      ['plain', 'PERMIT'],
      ['plain', 'DENY'],
      ['fragile', expect.stringContaining('zero')],
    ])
  })
})
