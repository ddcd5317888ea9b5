import type { RulesetDocument } from '@engine/ruleset'
import { generateKeys, parsePrivateKey, sign } from '@engine/signing'
import { action, decision, fill, MAX_BODY, post, repeat, rulesetOf, type Row, set } from './row.ts'
import { SUB_RULES } from './sub-rules.ts'

const list = (count: number, item: (index: number) => object): readonly object[] =>
  Array.from({ length: count }, (_, index) => item(index))

/** A chain of steps `s0`, `s1` … of which each leads to the next, the last to `YES`. */
function chain(count: number, step: (id: string, next: string, index: number) => object): readonly object[] {
  return list(count, (index) => step(`s${index}`, index + 1 < count ? `s${index + 1}` : 'YES', index))
}

function execution(name: string, rulesets: readonly object[], input: () => object = () => ({})): Row {
  const last = rulesets.at(-1) as { readonly config: { readonly name: string } }
  return { name: `execute: ${name}`, rulesets, request: () => post(`/execute/${last.config.name}`, { input: input() }) }
}

const HEAVY = 'any(range(0,1000000), i => i < 0)'
const loop = (name: string, actions: readonly object[], config: object) =>
  rulesetOf(name, [action('a', actions, 'b'), decision('b', ['x == 1'], 'YES', 'a')], {
    max_depth: 1_000_000,
    ...config,
  })

const EXECUTIONS: readonly Row[] = [
  execution('40 heavy steps', [
    rulesetOf(
      'heavy',
      chain(40, (id, next) => decision(id, [HEAVY], 'NO', next)),
      { timeout_ms: 100 },
    ),
  ]),
  execution('40 heavy steps without a time limit', [
    rulesetOf(
      'endless',
      chain(40, (id, next) => decision(id, [HEAVY], 'NO', next)),
      { timeout_ms: 0 },
    ),
  ]),
  execution('calls that fan out, 10 to the power of 8', [
    rulesetOf('leaf', [decision('s0', ['x == 1'])]),
    ...list(8, (index) =>
      rulesetOf(
        `fan${index}`,
        chain(10, (id, next) =>
          action(
            id,
            [{ action: 'call_ruleset', ruleset_name: index === 0 ? 'leaf' : `fan${index - 1}`, result_variable: 'v' }],
            next,
          ),
        ),
        { timeout_ms: 200 },
      ),
    ),
  ]),
  execution('a loop without a time limit', [loop('round', [set('n', '1')], { timeout_ms: 0 })]),
  execution('a loop of heavy expressions', [
    loop('round-heavy', [set('n', `len(filter(range(0,300000), i => i > 5))`)], {}),
  ]),
  execution('a text that doubles', [loop('doubles', [set('s', 'coalesce($s, "a") + coalesce($s, "a")')], {})]),
  execution('a list that doubles', [
    loop('lists', [set('l', 'array_concat(coalesce($l, [1]), coalesce($l, [1]))')], {}),
  ]),
  execution('nested lists grow', [loop('nests', [set('l', '[$l, $l]'), set('t', 'json_marshal($l)')], {})]),
  execution(
    '9,990 straight steps',
    [
      rulesetOf(
        'straight',
        chain(9990, (id, next) => decision(id, ['len(filter(l, i => i > 5)) < 0'], 'NO', next)),
        {
          max_depth: 20_000,
        },
      ),
    ],
    () => ({ l: Array.from({ length: 3000 }, (_, index) => index) }),
  ),
  execution(
    '20 conditions of 25 KiB in a loop',
    [
      rulesetOf(
        'wide',
        [
          action('a', [set('n', '1')], 'b'),
          decision(
            'b',
            Array.from({ length: 20 }, (_, index) => `x == ${index} && ${repeat(4900, () => 'y<1', '&&')}`),
            'YES',
            'a',
          ),
        ],
        { max_depth: 100_000 },
      ),
    ],
    () => ({ x: 19, y: 0 }),
  ),
  execution('log and metric without end', [
    loop('logs', [{ action: 'metric', name: 'm', value: '1', tags: [] }], { timeout_ms: 2000 }),
  ]),
  execution(
    'a message template of a long text',
    [
      {
        config: { name: 'template', message_templates: true },
        steps: {
          start: {
            id: 'start',
            type: 'terminal',
            result: { code: 'A', message: '{s}{s}{s}{s}{s}{s}{s}{s}', output: [['o', '[s, s, s, s, s, s, s]']] },
          },
        },
      },
    ],
    () => ({ s: '\u2028'.repeat(1_000_000) }),
  ),
  execution(
    'an output of 10 MB',
    [
      {
        config: { name: 'echo' },
        steps: {
          start: { id: 'start', type: 'terminal', result: { code: 'A', message: '', output: [['o', '[x, x, x, x]']] } },
        },
      },
    ],
    () => ({ x: Array.from({ length: 2_500_000 }, () => []) }),
  ),
  {
    name: 'execute: a trace of a million steps',
    rulesets: [loop('traced', [set('n', '1')], {})],
    request: () => post('/execute/traced', { input: {}, trace: true }),
  },
  {
    name: 'batch: 1,000 heavy inputs',
    rulesets: [rulesetOf('one-heavy', [decision('s0', [HEAVY])])],
    request: () => post('/execute/one-heavy/batch', { inputs: list(1000, () => ({})) }),
  },
  {
    name: 'batch: NDJSON of 1,000 heavy inputs',
    rulesets: [rulesetOf('line-heavy', [decision('s0', [HEAVY])])],
    request: () => post('/execute/line-heavy/batch', '{}\n'.repeat(1000), 'application/x-ndjson'),
  },
  {
    name: 'batch: 3 million empty inputs',
    rulesets: [rulesetOf('empty', [decision('s0', ['x == 1'])])],
    request: () => post('/execute/empty/batch', `{"inputs":[${fill(MAX_BODY - 100, '{}')}{}]}`),
  },
  {
    name: 'batch: one NDJSON line of 10 MB',
    rulesets: [rulesetOf('line', [decision('s0', ['x == 1'])])],
    request: () => post('/execute/line/batch', `{"x":[${fill(MAX_BODY - 100, '[]')}1]}\n`, 'application/x-ndjson'),
  },
  {
    name: 'debug: an expression that computes for hours',
    request: () =>
      post('/debug/eval', {
        expression: 'any(range(0,1000000), i => any(range(0,1000000), j => i + j < 0))',
        context: {},
      }),
  },
  {
    name: 'debug: 40 heavy steps inline',
    request: () =>
      post('/debug/execute-inline', {
        ruleset: rulesetOf(
          'inline',
          chain(40, (id, next) => decision(id, [HEAVY], 'NO', next)),
        ),
        input: {},
      }),
  },
  {
    name: 'gRPC Execute: 40 heavy steps',
    rulesets: [
      rulesetOf(
        'grpc-heavy',
        chain(40, (id, next) => decision(id, [HEAVY], 'NO', next)),
        { timeout_ms: 500 },
      ),
    ],
    request: () => ({ kind: 'grpc', method: 'Execute', message: { name: 'grpc-heavy', input_json: '{}' } }),
  },
  {
    name: 'gRPC Eval: hours',
    request: () => ({
      kind: 'grpc',
      method: 'Eval',
      message: { expression: 'any(range(0,1000000), i => any(range(0,1000000), j => i + j < 0))', context_json: '{}' },
    }),
  },
]

/** Documents just below the limit of a body, stored and then decided with. */
const UPLOADS: readonly (readonly [name: string, document: () => unknown])[] = [
  [
    '700,000 unknown members of config',
    () => `{"config":{"name":"big","entry_step":"a",${repeat(700_000, (index) => `"k${index}":1`, ',')}},"steps":{}}`,
  ],
  [
    '100,000 steps',
    () =>
      rulesetOf(
        'big',
        chain(100_000, (id, next) => decision(id, ['x == 1'], 'NO', next)),
      ),
  ],
  [
    'a decision of 100,000 branches',
    () =>
      rulesetOf('big', [
        decision(
          's0',
          Array.from({ length: 100_000 }, (_, index) => `x == ${index}`),
        ),
      ]),
  ],
  [
    '100,000 branches on many fields',
    () =>
      rulesetOf('big', [
        decision(
          's0',
          Array.from({ length: 100_000 }, (_, index) => `f${index} > ${index}`),
        ),
      ]),
  ],
  [
    '7,000 branches of ranges over six fields',
    () =>
      rulesetOf('big', [
        decision(
          's0',
          Array.from({ length: 7000 }, (_, index) =>
            repeat(
              6,
              (field) => `f${field} > ${(index * 7919 * (field + 1)) % 10_007} && f${field} < ${10_007 + index}`,
              ' && ',
            ),
          ),
        ),
      ]),
  ],
  [
    '100,000 faults',
    () =>
      rulesetOf('big', [
        decision(
          's0',
          Array.from({ length: 100_000 }, () => 'nosuch(1'),
        ),
      ]),
  ],
  [
    '100,000 unknown functions with near names',
    () =>
      rulesetOf('big', [
        decision(
          's0',
          Array.from({ length: 100_000 }, (_, index) => `starts_wit${index}(a, "b")`),
        ),
      ]),
  ],
  [
    'a list of 100,000 in each of 10 conditions',
    () =>
      rulesetOf('big', [
        decision(
          's0',
          Array.from({ length: 150 }, (_, field) => `f${field} in [${repeat(9000, String, ',')}]`),
        ),
      ]),
  ],
  [
    '400 patterns with large programs',
    () =>
      rulesetOf('big', [
        decision(
          's0',
          Array.from({ length: 400 }, (_, index) => `matches(x, "(a?){900}z${index}")`),
        ),
      ]),
  ],
  [
    'expressions 190 deep',
    () =>
      rulesetOf('big', [
        decision(
          's0',
          Array.from({ length: 20_000 }, () => `${'('.repeat(190)}x${')'.repeat(190)} == 1`),
        ),
      ]),
  ],
  [
    'an output of 10 MB',
    () => ({
      config: { name: 'big', entry_step: 'a' },
      steps: {
        a: {
          id: 'a',
          type: 'terminal',
          result: { code: 'A', message: '', o: Array.from({ length: 3_000_000 }, () => []) },
        },
      },
    }),
  ],
  [
    'two million steps of the wrong type',
    () => `{"config":{"name":"big","entry_step":"a"},"steps":{${repeat(700_000, (index) => `"s${index}":1`, ',')}}}`,
  ],
  ...SUB_RULES,
]

const KEYS = generateKeys()

export const RULESETS: readonly Row[] = [
  ...EXECUTIONS,
  ...UPLOADS.map(([name, document]): Row => ({
    name: `upload: ${name}`,
    request: () => post('/rulesets', document()),
  })),
  ...UPLOADS.map(([name, document]): Row => ({
    name: `first execution after the upload: ${name}`,
    request: () => post('/debug/execute-inline', { ruleset: parsed(document()), input: { x: 5, f1: 3 } }),
  })),
  {
    name: 'upload: 9,900 signed steps',
    options: ['--signature-enabled', '--signature-trusted-keys', KEYS.publicKey],
    request: () => post('/rulesets', sign(manySteps('many'), parsePrivateKey(KEYS.privateKey), '2026-01-01T00:00:00Z')),
  },
  {
    name: 'first execution after a restart: 9,900 steps',
    rulesets: [manySteps('many')],
    isRestarted: true,
    request: () => post('/execute/many', { input: {} }),
  },
  {
    name: 'first execution after a restart: 9,900 steps of a ruleset that is called',
    rulesets: [
      manySteps('many'),
      rulesetOf('calls', [
        action('a', [{ action: 'call_ruleset', ruleset_name: 'many', result_variable: 'v' }], 'YES'),
      ]),
    ],
    isRestarted: true,
    request: () => post('/execute/calls', { input: {} }),
  },
  {
    name: 'first execution after a restart of workers: 9,900 steps',
    rulesets: [manySteps('many')],
    isRestarted: true,
    options: ['--workers', '2'],
    request: () => post('/execute/many', { input: {} }),
  },
  {
    name: 'file: a YAML map of 60,000 keys',
    request: () => ({
      kind: 'file',
      name: 'large.yaml',
      text: `config:\n  name: large\n  entry_step: a\nsteps:\n${repeat(60_000, (index) => `  s${index}: 1\n`)}`,
    }),
  },
  {
    name: 'file: JSON of 9,900 steps',
    request: () => ({ kind: 'file', name: 'many.json', text: JSON.stringify(manySteps('many')) }),
  },
  {
    name: 'file: JSON of digits',
    request: () => ({ kind: 'file', name: 'digits.json', text: `{"a":0.${'1'.repeat(20_000_000)}}` }),
  },
]

/** A ruleset of some 4 MB. */
function manySteps(name: string): RulesetDocument {
  const conditions = (step: number) =>
    Array.from({ length: 2 }, (_, index) => `f${step} > ${index} && g == "${'x'.repeat(120)}"`)
  return rulesetOf(
    name,
    chain(9900, (id, next, index) => decision(id, conditions(index), next, 'NO')),
  ) as RulesetDocument
}

function parsed(document: unknown): unknown {
  return typeof document === 'string' ? JSON.parse(document) : document
}
