import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { fromJdm } from './from-jdm.ts'

const decision = (
  value: string,
  rest: { readonly tests?: Value; readonly input?: Value; readonly output?: Value } = {},
) => ({
  nodes: [
    { id: 'in', type: 'inputNode', name: 'in', content: { schema: rest.input ?? '' } },
    { id: 'a', type: 'expressionNode', name: 'a', content: { expressions: [{ id: 'e', key: 'y', value }] } },
    { id: 'out', type: 'outputNode', name: 'out', content: { schema: rest.output ?? '' } },
  ],
  edges: [
    { id: 'e1', sourceId: 'in', targetId: 'a', type: 'edge' },
    { id: 'e2', sourceId: 'a', targetId: 'out', type: 'edge' },
  ],
  ...(rest.tests !== undefined && { tests: rest.tests }),
})
const imported = (document: Value) => {
  const { rulesets, lost } = fromJdm(document, 'sum')
  return { ...rulesets[0], lost: lost.map(({ path, code, message }) => ({ path, code, message })) }
}

describe('tests of a document', () => {
  test('become cases of a suite, with a tolerance for rounded results', () => {
    const tests = [
      { name: 'one', input: { x: 1 }, output: { y: 2, z: null } },
      { input: { x: 2 }, output: { y: 3 } },
      { name: 'one', input: { x: 3 }, output: [1] },
    ]
    expect(imported(decision('x + 1', { tests })).cases).toEqual([
      { name: 'one', suite: 'imported', input: { x: 1 }, expect: { output: { y: 2 }, tolerance: 1e-8 } },
      { name: 'test 2', suite: 'imported', input: { x: 2 }, expect: { output: { y: 3 }, tolerance: 1e-8 } },
      { name: 'one-2', suite: 'imported', input: { x: 3 }, expect: { output: { result: [1] }, tolerance: 1e-8 } },
    ])
  })

  test('expect code, message and output of a result in the form of an exported terminal', () => {
    const document = decision('x + 1', {
      tests: [
        { input: { x: 1 }, output: { code: 'DONE', message: 'm', output: { y: 2 } } },
        { input: { x: 1 }, output: { code: 'OTHER' } },
      ],
    })
    const expressions = [
      { id: 'c', key: 'code', value: '"DONE"' },
      { id: 'm', key: 'message', value: '"m"' },
      { id: 'y', key: 'output.y', value: 'x + 1' },
    ]
    const nodes = document.nodes.map((node) => (node.id === 'a' ? { ...node, content: { expressions } } : node))
    expect(imported({ ...document, nodes }).cases?.map((one) => one.expect)).toEqual([
      { code: 'DONE', message: 'm', output: { y: 2 }, tolerance: 1e-8 },
      { output: { code: 'OTHER' }, tolerance: 1e-8 },
    ])
  })

  test.each<[title: string, tests: Value, path: string]>([
    ['that are a text', 'x', '/tests'],
    ['of which one is a text', ['x'], '/tests/0'],
    ['without an output', [{ input: {} }], '/tests/0'],
    ['whose input is a list', [{ input: [], output: {} }], '/tests/0'],
  ])('%s are omitted with a warning', (_, tests, path) => {
    const { cases, lost } = imported(decision('1', { tests }))
    const needed = path === '/tests' ? 'be a list of tests' : 'have the objects `input` and `output`'
    expect([cases, lost]).toEqual([undefined, [{ path, code: 'test', message: `must ${needed}: it was omitted` }]])
  })

  test('beyond 10,000 are omitted with a warning', () => {
    const tests = Array.from({ length: 10_001 }, () => ({ output: {} }))
    const { cases, lost } = imported(decision('1', { tests }))
    expect([cases?.length, lost[0]?.code]).toEqual([10_000, 'too-many'])
    const { lost: none } = imported(decision('1', { tests: tests.slice(1) }))
    expect(none.map(({ code }) => code)).not.toContain('too-many')
  })
})

describe('schemas of a document', () => {
  const text = (schema: object) => JSON.stringify(schema)

  test('become the contract, with the fields that only the rules name', () => {
    const input = text({ type: 'object', properties: { x: { type: 'number' } }, required: ['x'] })
    const output = text({ type: 'object', properties: { y: { type: 'number' } } })
    const { contract, lost } = imported(decision('x + z.w', { input, output }))
    expect(contract).toEqual({
      name: 'sum',
      version: '1.0.0',
      input: {
        fields: [
          { name: 'x', type: 'number', required: true },
          { name: 'z.w', type: 'any' },
        ],
      },
      outputs: [{ code: 'RESULT', fields: [{ name: 'y', type: 'number' }] }],
    })
    expect(lost).toEqual([
      {
        path: '/nodes/2/content/schema',
        code: 'schema',
        message: 'in `out`: a result is not checked against the output schema',
      },
    ])
  })

  test.each(['x', '', 'x.y.z'])('are left alone where a rule reads `%s` of a declared part', (path) => {
    const input = text({ properties: { x: { properties: { y: { type: 'object' } } } } })
    const { contract } = imported(decision(path === '' ? '1' : path, { input }))
    expect(contract?.input.fields).toEqual([{ name: 'x.y', type: 'object' }])
  })

  test('name once what the contract does not check', () => {
    const part = { type: 'string', pattern: 'a', minLength: 1 }
    const { contract, lost } = imported(decision('1', { input: text({ properties: { a: part, b: part } }) }))
    expect(contract?.input.fields.length).toBe(2)
    expect(lost).toEqual([
      {
        path: '/nodes/0/content/schema',
        code: 'schema',
        message: 'in `in`: the contract does not check these parts of the schema: `pattern`, `minLength`',
      },
    ])
  })

  test.each<[title: string, input: Value]>([
    ['is not JSON', '{'],
    ['is a list', '[]'],
    ['is an object', { type: 'object' }],
  ])('one that %s is omitted with a warning', (_, input) => {
    const { contract, lost } = imported(decision('1', { input }))
    const message = 'in `in`: the schema is not the text of a JSON object and was omitted'
    expect([contract, lost]).toEqual([undefined, [{ path: '/nodes/0/content/schema', code: 'schema', message }]])
  })

  test('one that the rules contradict is omitted with a warning', () => {
    const { contract, lost } = imported(decision('x.y', { input: text({ properties: { x: { type: 'string' } } }) }))
    expect(contract).toBeUndefined()
    const message = expect.stringMatching(
      /^in `in`: the schema does not become the contract, because the decision contradicts it: \S/,
    )
    expect(lost).toEqual([{ path: '/nodes/0/content/schema', code: 'schema', message }])
  })

  test.each(['', '{}'])('none and an empty one (%j) make no contract', (input) => {
    expect(imported(decision('1', { input }))).toMatchObject({ lost: [] })
    expect(imported(decision('1', { input })).contract).toBeUndefined()
  })

  test('of a refused decision make no contract', () => {
    expect(imported(decision('rand(1)', { input: text({ properties: { x: {} } }) })).contract).toBeUndefined()
  })
})
