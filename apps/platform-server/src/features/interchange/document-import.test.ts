import type { Imported, ImportedRuleset, Loss } from '@engine/interchange'
import { describe, expect, test } from 'vitest'
import type { Compute } from '../../compute/compute.ts'
import { imported } from '../../compute/interchange.ts'
import type { ImportFormat, ImportOptions, ImportTask } from '../../compute/tasks.ts'
import { DOCUMENT_BYTES } from '../../http/route.ts'
import type { DraftParts } from '../drafts/view.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { Acting } from '../../resources/acting.ts'
import { applyImported, readDocument } from './document-import.ts'

/** Executes tasks in the process of the test. */
const COMPUTE = {
  run: async (task: ImportTask) => ({ kind: 'done', result: await imported(task) }),
} as unknown as Compute

const read = (format: ImportFormat, document: unknown, name?: string, options: ImportOptions = {}) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  return readDocument(COMPUTE, format, Buffer.isBuffer(document) ? document : Buffer.from(text), name, options)
}
const refused = (code: string, message: string | RegExp) =>
  expect.objectContaining({
    code,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  })

const jdm = (value: string, more: object = {}) => ({
  nodes: [
    { id: 'in', type: 'inputNode', name: 'in' },
    {
      id: 'a',
      type: 'expressionNode',
      name: 'a',
      content: { passThrough: true, expressions: [{ id: 'e', key: 'y', value }] },
    },
  ],
  edges: [{ id: 'e1', sourceId: 'in', targetId: 'a' }],
  ...more,
})
const dmn = (...names: readonly string[]) =>
  `<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n">${names.map((name) => `<decision id="${name}" name="${name}"><variable name="${name}"/><literalExpression><text>1</text></literalExpression></decision>`).join('')}</definitions>`
const RULE = { conditions: { all: [{ fact: 'age', operator: 'lessThan', value: 18 }] }, event: { type: 'minor' } }
const RULESET = {
  config: { name: 'own', entry_step: 'end' },
  steps: { end: { id: 'end', type: 'terminal', result: { code: 'OK', message: '' } } },
}

describe('a document is read', () => {
  test.each<readonly [ImportFormat, unknown, string | undefined, ImportOptions, readonly string[]]>([
    ['jdm', jdm('1'), undefined, {}, ['decision']],
    ['jdm', jdm('1'), 'fees', {}, ['fees']],
    ['dmn', dmn('A', 'B'), undefined, {}, ['A', 'B']],
    ['dmn', dmn('A', 'B'), undefined, { decision: 'B' }, ['B']],
    ['dmn', dmn('A', 'B'), 'all', {}, ['all-A', 'all-B']],
    ['json-rules-engine', RULE, undefined, {}, ['rules']],
    ['json-rules-engine', RULE, 'minors', {}, ['minors']],
    ['csv', 'in:a:number,out:b\n> 1,2\n', 'table', {}, ['table']],
    ['engine', RULESET, undefined, {}, ['own']],
    ['engine', RULESET, 'other', {}, ['other']],
  ])('%s %#', async (format, document, name, options, names) => {
    const { imported: found, report, unstorable } = await read(format, document, name, options)
    expect(found.rulesets.map((one) => [one.name, one.ruleset.config.name])).toEqual(names.map((one) => [one, one]))
    expect(report.documents).toMatchObject([{ document: '', rulesets: names }])
    expect(unstorable).toBeUndefined()
  })

  test('and a text that cannot be stored is found in each format', async () => {
    const { unstorable } = await read('csv', 'in:a,out:b\n"""\u0000""",1\n')
    expect(unstorable).toMatchObject({ path: expect.stringContaining('/cells/c1') })
  })

  test('with its option', async () => {
    const outputs = [true, false].map(async (repeatInput) => {
      const { imported: found } = await read('jdm', jdm('x + 1'), undefined, { repeatInput })
      return JSON.stringify(found.rulesets[0]?.ruleset).includes('"name":"x"')
    })
    expect(await Promise.all(outputs)).toEqual([true, false])
  })

  test('and its cases are run', async () => {
    const tests = [{ name: 'one', input: { x: 1 }, output: { y: 2 } }]
    const { report } = await read('jdm', jdm('x + 1', { tests }))
    expect(report.summary).toEqual({ documents: 1, ready: 1, review: 0, refused: 0, cases: 1, failed: 0 })
  })
})

describe('a document is refused', () => {
  test.each<readonly [ImportFormat, unknown, string, string | RegExp]>([
    ['jdm', '{', 'invalid-request', /^the body cannot be read as JSON: /],
    ['jdm', '{"nodes": [], "nodes": []}', 'invalid-request', /the key `nodes` occurs twice/],
    ['jdm', [], 'invalid-request', 'the body: must be a decision with `nodes` and `edges`, found a list'],
    ['jdm', {}, 'invalid-request', '`/nodes`: must be a list, found nothing, and 1 more'],
    ['jdm', jdm('"\\u0000"', { name: '\u0000' }), 'invalid-request', /U\+0000|NUL|character/i],
    ['jdm', Buffer.from([0xff]), 'invalid-request', 'the body is not valid UTF-8'],
    ['dmn', Buffer.from([0xff]), 'invalid-request', 'the body is not valid UTF-8'],
    ['dmn', '<a/>', 'invalid-request', /^`?.*must be `definitions`/],
    ['csv', `in:a,out:b\n${'1,2\n'.repeat(100_001)}`, 'payload-too-large', /100,?000/],
    ['xlsx', 'no workbook', 'invalid-request', /./],
  ])('%s %#', async (format, document, code, message) => {
    await expect(read(format, document)).rejects.toThrow(refused(code, message))
  })

  test('but an error of the reader is none of the document', async () => {
    const bytes = undefined as unknown as Uint8Array
    const task: ImportTask = { kind: 'import', format: 'xlsx', bytes, name: undefined, options: {} }
    await expect(imported(task)).rejects.toThrow(TypeError)
  })

  test('that costs more than a worker spends', async () => {
    const compute = { run: () => Promise.resolve({ kind: 'over', message: 'it takes more than 10 s' }) }
    await expect(readDocument(compute as unknown as Compute, 'csv', Buffer.of(), undefined, {})).rejects.toThrow(
      refused('invalid-request', /is too large to be read: it takes more than 10 s/),
    )
  })
})

describe('nothing is stored', () => {
  const acting = (...permissions: readonly string[]) =>
    ({ place: { member: { permissions: new Set(permissions) } } }) as unknown as Acting<InProject>
  const apply = (document: Parameters<typeof applyImported>[2], ...permissions: readonly string[]) =>
    applyImported({} as DraftParts, acting(...permissions), document)
  const error: Loss = { path: '/nodes/1', code: 'x', message: 'is lost', severity: 'error' }

  test('of a document of which a part is lost', async () => {
    const document = await read('jdm', jdm('1'))
    const lost = [{ ...error, severity: 'warning' as const }, error]
    await expect(apply({ ...document, imported: { ...document.imported, lost } })).rejects.toThrow(
      refused('invalid-request', '`/nodes/1`: is lost'),
    )
  })

  test('of a ruleset that has a text which cannot be stored', async () => {
    const document = await read('jdm', jdm('1'))
    const unstorable = { path: '/config/name', message: 'has a character' }
    await expect(apply({ ...document, unstorable })).rejects.toThrow(refused('invalid-request', /has a character/))
  })

  test.each([
    ['has no name of a ruleset', 'a b', '', /name/],
    ['is too large', 'large', 'é'.repeat(DOCUMENT_BYTES / 2), /makes a ruleset of more than \d+ bytes/],
  ])('of a ruleset that %s', async (_what, name, text, message) => {
    const document = await read('jdm', jdm('1'))
    const [first] = document.imported.rulesets
    const ruleset = { ...first?.ruleset, text } as unknown as ImportedRuleset['ruleset']
    const changed: Imported = { ...document.imported, rulesets: [{ name, ruleset }] }
    await expect(apply({ ...document, imported: changed }, 'ruleset.edit')).rejects.toThrow(
      refused('invalid-request', message),
    )
  })

  test('of a contract without the right to make one', async () => {
    const document = await read('jdm', {
      ...jdm('x'),
      nodes: jdm('x').nodes.map((node) =>
        node.id === 'in' ? { ...node, content: { schema: '{"properties":{"x":{"type":"number"}}}' } } : node,
      ),
    })
    expect(document.imported.rulesets[0]?.contract).toBeDefined()
    await expect(apply(document, 'ruleset.edit')).rejects.toThrow(refused('forbidden', /`contract\.edit`/))
    const other = await read('jdm', jdm('1'))
    const both = { ...document.imported, rulesets: [...document.imported.rulesets, ...other.imported.rulesets] }
    await expect(apply({ ...document, imported: both }, 'ruleset.edit')).rejects.toThrow(
      refused('forbidden', /`contract\.edit`/),
    )
  })
})
