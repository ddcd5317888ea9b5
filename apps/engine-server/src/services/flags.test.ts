import { describe, expect, test } from 'vitest'
import { decodeFlags, type Flags, MAX_FLAGS } from '../standards/flags.ts'
import { Hops } from '../capabilities/hops.ts'
import { VERSION } from '../version.ts'
import type { RunOptions } from './execution.ts'
import { evaluateFlag, evaluateFlags, type FlagParts } from './flags.ts'
import { documentOf, executionOf, outcomeOf, OUTSIDE, sentOf, type ShortRuleset, stored } from './services.testing.ts'

const OUTPUT = {
  percent: '15',
  share: '-12.5',
  whole: '-3',
  on: 'true',
  name: '"gold"',
  list: '[1, 2]',
  nothing: 'null',
  nested: '{"a": {"b": 7}}',
  who: 'user.id',
}
const RULESETS: readonly ShortRuleset[] = [
  { name: 'rich', condition: 'tier == "gold"', output: OUTPUT },
  { name: 'valued', condition: 'true', output: { value: '"this"', other: '1' } },
  { name: 'one', condition: 'true', output: { other: '1' } },
  { name: 'plain', condition: 'true' },
  { name: 'strict', condition: 'a.b > 1', config: { field_missing: 'strict' } },
  { name: 'fragile', condition: '1 / a > 0' },
  { name: 'timed', condition: 'now() != ""' },
  { name: 'exact', condition: 'limit == 0.30000000000000000001', config: { numbers: 'decimal' } },
]
const { catalog, execution, executed } = await executionOf(RULESETS)

const partsOf = (flags: Flags): FlagParts => ({
  flags,
  execution,
  rulesets: {
    list: () =>
      Array.from(catalog.list(), ({ name, version }) => ({ name, version, description: null, step_count: 3 })),
  },
  codeOf: (error) => (error.code === 'not-found' ? 'FLAG_NOT_FOUND' : 'GENERAL'),
})

const flagsWith = (flag: object, mode: Flags['mode'] = 'list', identity = 'i') =>
  decodeFlags({ flags: { f: { ruleset: 'rich', ...flag } } }, mode, identity)
const GOLD = { context: { tier: 'gold' } }

/** The JSON text of a value, or the code and message of the failure. */
const valueOf = (flag: object, body: object | string = GOLD) =>
  outcomeOf(async () => {
    const text = await evaluateFlag(
      partsOf(flagsWith(flag)),
      'f',
      sentOf(typeof body === 'string' ? body : JSON.stringify(body)),
      OUTSIDE,
    )
    return /^\{"key":"f","value":(.*),"reason":"\w+","variant":/.exec(text)?.[1]
  })

const wrongType = (type: string, place: string, found: string) =>
  `execution-failed: the flag \`f\` has no value of type \`${type}\`: ${place} is ${found}`

describe('the value of a flag', () => {
  test.each<[flag: object, value: string]>([
    [{}, expect.stringMatching(/^\{"percent":15,/)],
    [{ ruleset: 'valued' }, '"this"'],
    [{ ruleset: 'one' }, '{"other":1}'],
    [{ ruleset: 'plain' }, '"PERMIT"'],
    [{ value: 'code' }, '"PERMIT"'],
    [{ value: 'message' }, '"is PERMIT"'],
    [{ value: 'output.name' }, '"gold"'],
    [{ value: 'output.nested.a.b' }, '7'],
    [{ value: 'output.name', type: 'string' }, '"gold"'],
    [{ value: 'output.on', type: 'boolean' }, 'true'],
    [{ value: 'output.percent', type: 'integer' }, '15'],
    [{ value: 'output.percent', type: 'float' }, '15.0'],
    [{ value: 'output.whole', type: 'float' }, '-3.0'],
    [{ value: 'output.whole', type: 'integer' }, '-3'],
    [{ value: 'output.share', type: 'float' }, '-12.5'],
    [{ value: 'output.list', type: 'object' }, '[1,2]'],
    [{ value: 'output.nested', type: 'object' }, '{"a":{"b":7}}'],
    [{ on: ['PERMIT', 'OTHER'] }, 'true'],
    [{ on: ['DENY'] }, 'false'],
    [{ value: 'output.share', type: 'integer' }, wrongType('integer', '`output.share`', '`-12.5`')],
    [{ value: 'output.name', type: 'boolean' }, wrongType('boolean', '`output.name`', 'the string `gold`')],
    [{ value: 'output.on', type: 'string' }, wrongType('string', '`output.on`', '`true`')],
    [{ value: 'output.name', type: 'object' }, wrongType('object', '`output.name`', 'the string `gold`')],
    [{ value: 'output.name', type: 'float' }, wrongType('float', '`output.name`', 'the string `gold`')],
    [{ value: 'message', type: 'integer' }, wrongType('integer', 'the message', 'the string `is PERMIT`')],
    [{ type: 'boolean', ruleset: 'plain' }, wrongType('boolean', 'the result', 'the string `PERMIT`')],
    [{ value: 'output.nothing' }, 'execution-failed: the flag `f` has no value: `output.nothing` is `null`'],
    [{ value: 'output.toString' }, 'execution-failed: the flag `f` has no value: `output.toString` is nothing'],
    [{ value: 'output.name.length' }, 'execution-failed: the flag `f` has no value: `output.name.length` is nothing'],
  ])('%j', async (flag, value) => {
    expect(await valueOf(flag)).toEqual(value)
  })

  const USER = { value: 'output.who', targeting: 'user.id' }
  test.each<[what: string, flag: object, body: object, value: unknown]>([
    ['gets the targeting key at its place', USER, { context: { tier: 'gold', targetingKey: 'k' } }, '"k"'],
    [
      'keeps the members beside that place',
      { value: 'output.percent', targeting: 'user.id' },
      { context: { tier: 'gold', targetingKey: 'k', user: { id: 'x' } } },
      '15',
    ],
    ['replaces a value on the way', USER, { context: { tier: 'gold', targetingKey: 'k', user: 7 } }, '"k"'],
    [
      'needs that key',
      USER,
      GOLD,
      'no-targeting-key: the flag `f` needs a targeting key: `context.targetingKey` is missing',
    ],
    [
      'needs a text',
      {},
      { context: { targetingKey: 7 } },
      'invalid-input: `/context/targetingKey` must be a string, found `7`',
    ],
    [
      'needs a context that is an object',
      {},
      { context: [] },
      'invalid-input: `/context` must be an object, found a list',
    ],
    ['needs an object', {}, [], 'invalid-request: the body must be an object, found a list'],
    ['has an empty context by default', { ruleset: 'plain' }, {}, '"PERMIT"'],
    [
      'names a missing field of a strict ruleset as a fault of the context',
      { ruleset: 'strict' },
      { context: {} },
      expect.stringMatching(/^invalid-input: /),
    ],
    [
      'names a failure of the rules as theirs',
      { ruleset: 'fragile' },
      { context: { a: 0 } },
      expect.stringMatching(/^execution-failed: /),
    ],
  ])('%s', async (_what, flag, body, value) => {
    expect(await valueOf(flag, body)).toEqual(value)
  })

  test('keeps a sibling of the targeting key', async () => {
    const { execution: own } = await executionOf([{ name: 'r', condition: 'user.id == "k" && user.team == "t"' }])
    const flags = decodeFlags({ flags: { f: { ruleset: 'r', on: ['PERMIT'], targeting: 'user.id' } } }, 'list', 'i')
    const body = JSON.stringify({ context: { targetingKey: 'k', user: { id: 'x', team: 't' } } })
    expect(await evaluateFlag({ ...partsOf(flags), execution: own }, 'f', sentOf(body), OUTSIDE)).toContain(
      '"value":true',
    )
  })

  test('is computed with the digits of its ruleset', async () => {
    expect(await valueOf({ ruleset: 'exact' }, '{"context":{"limit":0.30000000000000000001}}')).toBe('"PERMIT"')
    expect(await valueOf({ ruleset: 'exact' }, '{"context":{"limit":0.3}}')).toBe('"DENY"')
  })

  test.each<[ruleset: string, reason: string]>([
    ['plain', 'STATIC'],
    ['rich', 'TARGETING_MATCH'],
    ['timed', 'TARGETING_MATCH'],
  ])('of the ruleset %s has the reason %s', async (ruleset, reason) => {
    const text = await evaluateFlag(partsOf(flagsWith({ ruleset, value: 'code' })), 'f', sentOf('{}'), OUTSIDE)
    const digest = await execution.digestOf(execution.program(ruleset))
    expect(JSON.parse(text)).toMatchObject({
      reason,
      variant: ruleset === 'rich' ? 'DENY' : 'PERMIT',
      metadata: { ruleset, version: '1.0.0', digest },
    })
  })
})

test.each<[mode: Flags['mode'], key: string, found: unknown]>([
  ['all', 'plain', expect.stringContaining('"is PERMIT"')],
  ['all', 'f', expect.stringContaining('"DENY"')],
  ['all', 'unknown', 'not-found: there is no flag `unknown`'],
  ['all', 'rich', expect.stringContaining('"is DENY"')],
  ['list', 'plain', 'not-found: there is no flag `plain`'],
  ['all', 'a b', 'not-found: there is no flag `a b`'],
  ['list', 'lost', 'not-found: the flag `lost` has the ruleset `gone`, which is not stored'],
])('in the mode %s the flag %s', async (mode, key, found) => {
  const flags = decodeFlags(
    { flags: { f: { ruleset: 'rich', value: 'code' }, lost: { ruleset: 'gone' } }, default: { value: 'message' } },
    mode,
    'i',
  )
  expect(await outcomeOf(() => evaluateFlag(partsOf(flags), key, sentOf('{}'), OUTSIDE))).toEqual(found)
})

describe('all flags', () => {
  const LISTED = {
    flags: { z: { ruleset: 'plain', value: 'code' }, b: { ruleset: 'rich', value: 'code' }, lost: { ruleset: 'gone' } },
  }
  const never = () => false
  const all = (flags: Flags, text = '{"context":{"tier":"gold"}}', isCurrent: (tag: string) => boolean = never) =>
    evaluateFlags(partsOf(flags), sentOf(text), OUTSIDE, isCurrent)

  test('are sorted by key; one that fails has its error, and the others their values', async () => {
    const found = await all(decodeFlags(LISTED, 'list', 'i'))
    expect.assert(found.kind === 'evaluated')
    expect(JSON.parse(found.text)).toEqual({
      flags: [
        expect.objectContaining({ key: 'b', value: 'PERMIT', variant: 'PERMIT' }),
        {
          key: 'lost',
          errorCode: 'FLAG_NOT_FOUND',
          errorDetails: 'the flag `lost` has the ruleset `gone`, which is not stored',
        },
        expect.objectContaining({ key: 'z', value: 'PERMIT' }),
      ],
      metadata: { version: VERSION },
    })
  })

  test('are the rulesets as well in the mode `all`, each with the digits of its own', async () => {
    const found = await all(decodeFlags({}, 'all', 'i'), '{"context":{"limit":0.30000000000000000001,"a":1}}')
    expect.assert(found.kind === 'evaluated')
    const { flags } = JSON.parse(found.text) as {
      readonly flags: readonly { readonly key: string; readonly variant: string }[]
    }
    expect(flags.map(({ key }) => key)).toEqual(RULESETS.map(({ name }) => name).toSorted())
    expect(flags.find(({ key }) => key === 'exact')?.variant).toBe('PERMIT')
  })

  const tagOf = async (flags: Flags, text?: string) => (await all(flags, text)).tag
  test('have a tag that each change of the context, the flags or their configuration changes', async () => {
    const tags = [
      await tagOf(decodeFlags(LISTED, 'list', 'i')),
      await tagOf(decodeFlags(LISTED, 'list', 'i'), '{"context":{"tier":"tin"}}'),
      await tagOf(decodeFlags(LISTED, 'list', 'j')),
      await tagOf(decodeFlags({ flags: { ...LISTED.flags, c: { ruleset: 'plain' } } }, 'list', 'i')),
      await tagOf(decodeFlags({ flags: { ...LISTED.flags, z: { ruleset: 'one', value: 'code' } } }, 'list', 'i')),
    ]
    expect(new Set(tags).size).toBe(tags.length)
    expect(await tagOf(decodeFlags(LISTED, 'list', 'i'), '{"context": {"tier": "gold"}}')).toBe(tags[0])
  })

  test('are not evaluated for a client that has them', async () => {
    const flags = decodeFlags(LISTED, 'list', 'i')
    const tag = await tagOf(flags)
    executed.length = 0
    expect(await all(flags, undefined, (given) => given === tag)).toEqual({ kind: 'unchanged', tag })
    expect(executed).toEqual([])
  })

  test('are evaluated for it if a ruleset reads the time, and compared by their text', async () => {
    const flags = decodeFlags({ flags: { t: { ruleset: 'timed', value: 'code' } } }, 'list', 'i')
    const tag = await tagOf(flags)
    executed.length = 0
    expect(await all(flags, undefined, (given) => given === tag)).toEqual({ kind: 'unchanged', tag })
    expect(executed).toHaveLength(1)
  })

  test.each<[count: number, isAnswered: boolean]>([
    [MAX_FLAGS, true],
    [MAX_FLAGS + 1, false],
  ])('of %i keys', async (count, isAnswered) => {
    const parts = partsOf(decodeFlags({}, 'all', 'i'))
    const names = Array.from({ length: count }, (_, index) => ({
      name: `n${index}`,
      version: '1',
      description: null,
      step_count: 1,
    }))
    const found = await outcomeOf(() =>
      evaluateFlags({ ...parts, rulesets: { list: () => names } }, sentOf('{}'), OUTSIDE, never),
    )
    expect(typeof found === 'object').toBe(isAnswered)
  })

  test('have another tag once a ruleset has another content', async () => {
    const own = await executionOf([{ name: 'r', condition: 'a == 1' }])
    const parts = { ...partsOf(decodeFlags({ flags: { f: { ruleset: 'r' } } }, 'list', 'i')), execution: own.execution }
    const tag = async () => (await evaluateFlags(parts, sentOf('{"context":{"a":1}}'), OUTSIDE, never)).tag
    const before = await tag()
    expect(await tag()).toBe(before)
    await stored(own.catalog, documentOf({ name: 'r', condition: 'a == 2' }))
    expect(await tag()).not.toBe(before)
  })

  test('count their calls each for itself, in a request from outside', async () => {
    const hops = new Hops(0)
    const seen: unknown[] = []
    const spied = {
      ...execution,
      execute: (_name: string, _input: unknown, _form: unknown, options: RunOptions) => {
        seen.push(options.hops)
        return '{}'
      },
    } as FlagParts['execution']
    const parts = { ...partsOf(decodeFlags(LISTED, 'list', 'i')), execution: spied }
    await evaluateFlags(parts, sentOf('{}'), { ...OUTSIDE, hops }, never)
    expect(seen).toHaveLength(2)
    expect(new Set([hops, ...seen]).size).toBe(3)
  })
})

test('an answer names the place of its receipt, also to its sender', async () => {
  const places: string[] = []
  const spied = {
    ...execution,
    execute: (_name: string, _input: unknown, _form: unknown, options: RunOptions) => {
      options.logged?.('eu-1#7')
      return '{"key":"f","metadata":{"ruleset":"r"}}'
    },
  } as FlagParts['execution']
  const options = { ...OUTSIDE, logged: (place: string) => void places.push(place) }
  const text = await evaluateFlag({ ...partsOf(flagsWith({})), execution: spied }, 'f', sentOf('{}'), options)
  expect([JSON.parse(text), places]).toEqual([{ key: 'f', metadata: { ruleset: 'r', receipt: 'eu-1#7' } }, ['eu-1#7']])
})
