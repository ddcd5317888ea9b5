import { convertDraftDocument, decodeContract, decodeDraft, readArchive } from '@engine/authoring'
import { FILE_KINDS, type FileKind, fileSchema } from '@engine/api'
import type { Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { readRuleFile, yamlForm } from '@engine/rule-file'
import { Ajv } from 'ajv'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeFlags } from '../apps/engine-server/src/standards/flags.ts'
import { decodeMapping } from '../apps/engine-server/src/standards/mapping.ts'
import { parseCases } from '../apps/engine-tools/src/check/cases.ts'
import { ROOT } from './docs/page.testing.ts'
import { startServer } from './http/server.testing.ts'
import { runTool } from './programs.testing.ts'

/** What editors do: strict about the schema itself. */
const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true })
const validators = new Map(FILE_KINDS.map((kind) => [kind, ajv.compile(fileSchema(kind))]))

/** The places that do not fit; empty: the schema accepts the value. */
function faultsOf(kind: FileKind, value: unknown): readonly string[] {
  const validate = validators.get(kind)
  if (validate === undefined) throw new Error(kind)
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

function documentOf(path: string): unknown {
  const read = readRuleFile(path, readFileSync(join(ROOT, path)))
  if ('reason' in read) throw new Error(`${path}: ${read.reason}`)
  return JSON.parse(JSON.stringify(read.document))
}

const found = (pattern: string) => globSync(pattern, { cwd: ROOT }).toSorted()
const TEMPLATES = 'apps/platform-server/templates'

/** Every file of these kinds that the repository shows. */
const FILES: readonly (readonly [FileKind, readonly string[]])[] = [
  ['ruleset', [...found('examples/*/ruleset.{json,yaml}'), 'docs/clients/adult-check.json']],
  ['cases', found('examples/*/ruleset.cases.json')],
  ['draft', found(`${TEMPLATES}/*/rulesets/*.json`)],
  ['suite', found(`${TEMPLATES}/*/tests/*/*.yaml`)],
  ['contract', [...found(`${TEMPLATES}/*/contracts/*.json`), 'tests/client/credit-limit.contract.json']],
]

test.each(FILES)('the schema of a %s accepts every example of the repository', (kind, paths) => {
  expect(paths.length).toBeGreaterThan(1)
  for (const path of paths) expect(faultsOf(kind, documentOf(path)), path).toEqual([])
})

describe.each(FILE_KINDS)('the schema of the kind %s', (kind) => {
  test('is the file that both servers and the command line have', async () => {
    const { code, stdout } = await runTool('engine', ['schema', kind], ROOT)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(fileSchema(kind))
    const server = await startServer()
    const answer = await server.request('GET', `/schemas/${kind}.json`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('schema+json')])
    expect(JSON.parse(answer.text)).toEqual(fileSchema(kind))
    expect((await server.request('POST', `/schemas/${kind}.json`)).status).toBe(405)
  })
})

test('another kind is refused with the known ones', async () => {
  const { code, stderr } = await runTool('engine', ['schema', 'rule'], ROOT)
  expect([code, stderr]).toEqual([2, expect.stringContaining('ruleset, draft, cases, suite, contract, authzen, ofrep')])
})

describe('files of standards', () => {
  const accepted: readonly (readonly [FileKind, (document: Value) => unknown, Value])[] = [
    ['authzen', decodeMapping, { $schema: 'authzen.json', rules: [{ ruleset: 'access', permit: ['PERMIT'] }] }],
    [
      'authzen',
      decodeMapping,
      {
        base: 'https://pdp.example.com',
        rules: [
          { subject: ['user'], action: '*', resource: 'door', ruleset: 'doors', permit: ['OPEN'], actions: ['open'] },
        ],
        entities: 'entities.jsonl',
        unknown_subject: 'rules',
        max_evaluations: 10,
        context: [],
      },
    ],
    [
      'ofrep',
      (document) => decodeFlags(document, 'list', ''),
      { $schema: 'ofrep.json', flags: { sale: { ruleset: 'sale' } } },
    ],
    [
      'ofrep',
      (document) => decodeFlags(document, 'all', ''),
      {
        flags: {
          beta: { ruleset: 'beta', on: ['ON'] },
          price: { ruleset: 'price', value: 'output.amount', type: 'float' },
        },
        default: { targeting: 'customer.id' },
      },
    ],
  ]
  test.each(accepted)('%s are read as the schema has them', (kind, decode, document) => {
    expect(faultsOf(kind, document)).toEqual([])
    expect(() => decode(document)).not.toThrow()
  })

  const refused: typeof accepted = [
    ['authzen', decodeMapping, { rules: [] }],
    ['authzen', decodeMapping, { rules: [{ ruleset: 'a' }] }],
    ['authzen', decodeMapping, { rules: [{ ruleset: 'a', permit: ['A'], resources: 'door' }] }],
    ['authzen', decodeMapping, { rules: [{ ruleset: 'a', permit: ['A', 'A'] }] }],
    ['authzen', decodeMapping, { base: 'http://a.example', rules: [{ ruleset: 'a', permit: ['A'] }] }],
    ['authzen', decodeMapping, { rules: [{ ruleset: 'a', permit: ['A'] }], context: ['trace'] }],
    ['ofrep', (document) => decodeFlags(document, 'all', ''), { flags: { 'a b': { ruleset: 'a' } } }],
    ['ofrep', (document) => decodeFlags(document, 'all', ''), { flags: { a: { rule: 'a' } } }],
    ['ofrep', (document) => decodeFlags(document, 'all', ''), { default: { value: 'codes' } }],
    ['ofrep', (document) => decodeFlags(document, 'all', ''), { default: { type: 'number' } }],
  ]
  test.each(refused)('%s are refused as the schema does, %#', (kind, decode, document) => {
    expect(faultsOf(kind, document)).not.toEqual([])
    expect(() => decode(document)).toThrow(/must be|is unknown|is missing|is no key|repeats/)
  })
})

const conformance = (name: string) =>
  JSON.parse(readFileSync(join(ROOT, `conformance/${name}.json`), 'utf8')) as {
    readonly cases: readonly { readonly ruleset?: Value; readonly draft?: Value }[]
  }

test('what the decoders accept, the schemas accept', () => {
  const { cases: rulesets } = conformance('rulesets')
  for (const { ruleset } of rulesets) {
    if (ruleset === undefined || decodeRuleset(ruleset).problems.length > 0) continue
    expect(faultsOf('ruleset', ruleset), JSON.stringify(ruleset)).toEqual([])
  }
  const { cases: drafts } = conformance('draft')
  for (const { draft } of drafts) {
    if (draft === undefined || decodeDraft(draft).draft === undefined) continue
    expect(faultsOf('draft', draft), JSON.stringify(draft)).toEqual([])
  }
  expect(Math.min(rulesets.length, drafts.length)).toBeGreaterThan(50)
})

const RULESET = documentOf('docs/clients/adult-check.json') as { config: object; steps: object }
const CONTRACT = {
  name: 'x',
  version: '1.0.0',
  input: { fields: [{ name: 'age', type: 'number' }] },
  outputs: [{ code: 'ADULT', fields: [] }],
}
const DRAFT = {
  config: { name: 'x' },
  startStepId: 'end',
  steps: [{ id: 'end', type: 'terminal', code: 'END', message: '""' }],
}
const CASE = { name: 'a', input: {}, expect: { code: 'A' } }
const SUITE = { ruleset: 'x', cases: [CASE] }

test.each<readonly [FileKind, string, unknown]>([
  ['ruleset', 'no name', { ...RULESET, config: {} }],
  ['ruleset', 'no steps', { config: RULESET.config }],
  ['ruleset', 'a step of another type', { ...RULESET, steps: { a: { id: 'a', type: 'decisin' } } }],
  ['ruleset', 'a timeout in words', { ...RULESET, config: { name: 'x', timeout_ms: 'long' } }],
  ['draft', 'steps by name', { ...DRAFT, steps: {} }],
  ['draft', 'a hit policy that tables lack', { ...DRAFT, steps: [{ id: 't', type: 'table', hitPolicy: 'any' }] }],
  ['draft', 'a step without a type', { ...DRAFT, steps: [{ id: 'a' }] }],
  ['cases', 'a misspelt member', [{ ...CASE, inptu: {} }]],
  ['cases', 'nothing expected', [{ ...CASE, expect: {} }]],
  ['cases', 'a misspelt expectation', [{ ...CASE, expect: { cod: 'A' } }]],
  ['suite', 'no ruleset', { cases: [CASE] }],
  ['suite', 'a misspelt member', { ...SUITE, case: [] }],
  ['contract', 'a field without a type', { ...CONTRACT, input: { fields: [{ name: 'a' }] } }],
  ['contract', 'no version', { ...CONTRACT, version: undefined }],
])('the schema of a %s refuses %s', (kind, _mistake, value) => {
  expect(faultsOf(kind, value)).not.toEqual([])
})

describe('`$schema` names the schema of a file, which rules ignore', () => {
  const $schema = './schemas/x.json'

  test('in a ruleset', () => {
    const named = { $schema, ...RULESET } as unknown as Value
    expect(faultsOf('ruleset', named)).toEqual([])
    expect(decodeRuleset(named)).toMatchObject({ problems: [], warnings: [] })
  })

  test('in a draft, whose ruleset has none', () => {
    const named = { $schema, ...DRAFT } as unknown as Value
    expect(faultsOf('draft', named)).toEqual([])
    const { ruleset, problems } = convertDraftDocument(named)
    expect(problems).toEqual([])
    expect(ruleset).not.toHaveProperty('$schema')
  })

  test('in a contract', () => {
    const named = { $schema, ...CONTRACT } as unknown as Value
    expect(faultsOf('contract', named)).toEqual([])
    expect(decodeContract(named).problems).toEqual([])
  })

  test('in a file of cases, whose list is then a member', () => {
    const named = { $schema, cases: [CASE] }
    expect(faultsOf('cases', named)).toEqual([])
    expect(parseCases(JSON.stringify(named))).toEqual(parseCases(JSON.stringify([CASE])))
    expect(() => parseCases(JSON.stringify({ ...named, case: [] }))).toThrow('`case` is unknown: expected `cases`')
    expect(() => parseCases('{}')).toThrow('`cases` is missing')
  })

  test('in every file of an exported project', () => {
    const folder = join(ROOT, TEMPLATES, 'tax')
    const files = globSync('**/*.{json,yaml}', { cwd: folder }).map((path) => {
      const text = readFileSync(join(folder, path), 'utf8')
      const isInput = path.startsWith('inputs')
      if (isInput) return { path, text }
      return { path, text: path.endsWith('.yaml') ? `$schema: x\n${text}` : text.replace('{', '{"$schema": "x",') }
    })
    expect(files.map(({ path }) => basename(path))).toContain('project.json')
    expect(readArchive(files, yamlForm).problems).toEqual([])
  })
})
