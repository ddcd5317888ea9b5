import type { ObjectValue } from '@engine/expression'
import { expect, test } from 'vitest'
import { diff, type DiffOptions } from './diff.ts'
import { action, decision, diffLines, result, rulesetOf } from './reports.testing.ts'

const one = (condition: string) => ({ d: decision([[condition, 'X']], 'N') })
const out = (value: string, more: ObjectValue = {}) => ({
  d: decision([['is_number(n)', 'X']], 'N'),
  X: result('X', { output: [['o', value]], ...more }),
})
const opaque = (letter: string) => one(`is_string(t) && md5(t) == "${letter.repeat(32)}"`)
const loop = (limit: number) => ({
  s: action({ v: '0' }, 'd'),
  d: decision([[`$v < ${limit} && go`, 'e']], 'N'),
  e: action({ v: '$v + 1' }, 'd'),
})
const LOOP = { entry_step: 's', max_depth: 9 }
const call = (name: string) => ({
  d: {
    type: 'action',
    next_step: 'e',
    actions: [{ action: 'call_ruleset', ruleset_name: name, result_variable: 'v' }],
  },
  e: decision([['$v.code == "A"', 'X']], 'N'),
})
const contract = (minimum: number, more: ObjectValue = {}) => ({
  contract: {
    mode: 'enforce',
    contract: {
      name: 'r',
      version: '1.0.0',
      input: { fields: [{ name: 'n', type: 'number', required: true, minimum, ...more }] },
      outputs: [],
    },
  },
})

/** A contract with two fields besides `n`, of which rules may read none. */
const unread: ObjectValue = {
  contract: {
    mode: 'enforce',
    contract: {
      name: 'r',
      version: '1.0.0',
      input: {
        fields: [
          { name: 'n', type: 'number', required: true },
          { name: 'm', type: 'string', required: true, enum: ['p', 'q'] },
          { name: 'o', type: 'number', required: true },
        ],
      },
      outputs: [],
    },
  },
}

/** All regions, and the claims about them. */
test.each<
  [
    what: string,
    lines: readonly string[],
    before: ObjectValue,
    after: ObjectValue,
    options?: DiffOptions,
    configBefore?: ObjectValue,
    configAfter?: ObjectValue,
  ]
>([
  [
    'the same conditions in another order',
    ['equivalent: adds proved, removes proved, no failure proved'],
    {
      d: decision(
        [
          ['n == 1', 'X'],
          ['n == 2', 'Y'],
        ],
        'N',
      ),
    },
    {
      d: decision(
        [
          ['n == 2', 'Y'],
          ['n == 1', 'X'],
        ],
        'N',
      ),
    },
  ],
  [
    'another constant',
    ['n > 5 && n <= 7: X "" {} > N "" {} <- {"n":7}', 'different: adds refuted, removes refuted, no failure proved'],
    one('is_number(n) && n > 5'),
    one('is_number(n) && n > 7'),
  ],
  [
    'an error that one version has',
    [
      'n != null && !is_number(n): wrong-type in d > N "" {} <- {"n":false}',
      'different: adds proved, removes refuted, no failure proved',
    ],
    one('n > 5'),
    one('is_number(n) && n > 5'),
  ],
  [
    'an error that the other version has',
    [
      'n != null && !is_number(n): N "" {} > wrong-type in d <- {"n":false}',
      'different: adds refuted, removes proved, no failure refuted',
    ],
    one('is_number(n) && n > 5'),
    one('n > 5'),
  ],
  [
    'the errors of two expressions',
    [
      'n > 4 && n < 6.000000000000001: X "" {} > N "" {} <- {"n":4.000000000000001}',
      '? n >= 8.98846567431158e+307: X "" {} > not-finite in d <- {"n":89884656743115785407263711865852178399035283762922498299458738401578630390014269380294779316383439085770229476757191232117160663444732091384233773351768758493024955288275641038122745045194664472037934254227566971152291618451611474082904279666061674137398913102072361584369088590459649940625202013092062429185}',
      '? n <= -8.98846567431158e+307: N "" {} > not-finite in d <- {"n":-8.98846567431158e+307}',
      'different: adds refuted, removes refuted, no failure refuted',
    ],
    one('n + 1 > 5'),
    one('n * 2 > 12'),
  ],
  [
    'a gap instead of a default',
    ['!a: N "" {} > no-branch in d <- {}', 'different: adds refuted, removes proved, no failure refuted'],
    { d: decision([['a', 'X']], 'N') },
    { d: decision([['a', 'X']]) },
  ],
  [
    'a default instead of a gap',
    ['!a: no-branch in d > N "" {} <- {}', 'different: adds proved, removes refuted, no failure proved'],
    { d: decision([['a', 'X']]) },
    { d: decision([['a', 'X']], 'N') },
  ],
  [
    'the gaps of two steps',
    ['equivalent: adds proved, removes proved, no failure proved'],
    { d: decision([['a', 'X']]) },
    { d: decision([['true', 'e']]), e: decision([['a', 'X']]) },
  ],
  [
    'another branch first',
    [
      'a && b: X "" {} > Y "" {} <- {"a":["another value"],"b":true}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    {
      d: decision(
        [
          ['a', 'X'],
          ['b', 'Y'],
        ],
        'N',
      ),
    },
    {
      d: decision(
        [
          ['b', 'Y'],
          ['a', 'X'],
        ],
        'N',
      ),
    },
  ],
  [
    'a branch more',
    ['n == 2: N "" {} > Z "" {} <- {"n":2}', 'different: adds refuted, removes refuted, no failure proved'],
    {
      d: decision(
        [
          ['n == 1', 'X'],
          ['n == 3', 'Y'],
        ],
        'N',
      ),
    },
    {
      d: decision(
        [
          ['n == 1', 'X'],
          ['n == 2', 'Z'],
          ['n == 3', 'Y'],
        ],
        'N',
      ),
    },
  ],
  [
    'a branch less',
    ['n == 2: Z "" {} > N "" {} <- {"n":2}', 'different: adds refuted, removes refuted, no failure proved'],
    {
      d: decision(
        [
          ['n == 1', 'X'],
          ['n == 2', 'Z'],
          ['n == 3', 'Y'],
        ],
        'N',
      ),
    },
    {
      d: decision(
        [
          ['n == 1', 'X'],
          ['n == 3', 'Y'],
        ],
        'N',
      ),
    },
  ],
  [
    'the same in two steps',
    ['equivalent: adds proved, removes proved, no failure proved'],
    { d: decision([['a && b', 'X']], 'N') },
    { d: decision([['a', 'e']], 'N'), e: decision([['b', 'X']], 'N') },
  ],
  [
    'another result of a branch',
    [
      'n == 1: X "" {} > Y "" {} <- {"n":1}',
      'n == 2: Y "" {} > X "" {} <- {"n":2}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    {
      d: decision(
        [
          ['n == 1', 'X'],
          ['n == 2', 'Y'],
        ],
        'N',
      ),
    },
    {
      d: decision(
        [
          ['n == 1', 'Y'],
          ['n == 2', 'X'],
        ],
        'N',
      ),
    },
  ],
  [
    'a variable set to another constant',
    [
      'a && n == 1: X "" {} > Y "" {} <- {"a":true,"n":1}',
      'a && n == 2: Y "" {} > X "" {} <- {"a":true,"n":2}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    { d: decision([['a', 'e', { v: '1' }]], 'N'), e: decision([['$v == n', 'X']], 'Y') },
    { d: decision([['a', 'e', { v: '2' }]], 'N'), e: decision([['$v == n', 'X']], 'Y') },
  ],
  [
    'a variable that nothing reads',
    ['equivalent: adds proved, removes proved, no failure proved'],
    { d: decision([['a', 'X', { v: '1' }]], 'N') },
    { d: decision([['a', 'X', { v: '2' }]], 'N') },
  ],
  [
    'an action that fails',
    [
      'n == 0 && !a: N "" {} > division-by-zero in d <- {"n":0}',
      '? n == 5e-324: N "" {} > not-finite in d <- {"n":5e-324}',
      'n == 0 && a: X "" {} > division-by-zero in d <- {"n":0,"a":true}',
      'n != null && !is_number(n) && a: X "" {} > wrong-type in d <- {"n":false,"a":true}',
      '? n == 5e-324 && a == true: X "" {} > not-finite in d <- {"n":5e-324,"a":true}',
      'n == null && a: X "" {} > null-operand in d <- {"a":true}',
      'n == null && !a: N "" {} > null-operand in d <- {}',
      'n != null && !is_number(n) && !a: N "" {} > wrong-type in d <- {"n":false}',
      'different: adds refuted, removes proved, no failure refuted',
    ],
    { d: action({ v: '1' }, 'e'), e: decision([['a', 'X']], 'N') },
    { d: action({ v: '1 / n' }, 'e'), e: decision([['a', 'X']], 'N') },
  ],
  [
    'an action of a branch that fails',
    [
      'a && n == null: X "" {} > null-operand in d <- {"a":true}',
      '? a == true && n == 5e-324: X "" {} > not-finite in d <- {"a":true,"n":5e-324}',
      'a && n == 0: X "" {} > division-by-zero in d <- {"a":true,"n":0}',
      'a && n != null && !is_number(n): X "" {} > wrong-type in d <- {"a":true,"n":false}',
      'different: adds refuted, removes proved, no failure refuted',
    ],
    { d: decision([['a', 'X', { v: '1' }]], 'N') },
    { d: decision([['a', 'X', { v: '1 / n' }]], 'N') },
  ],
  [
    'another output',
    [
      'is_number(n): X "" {"o":1} > X "" {"o":2} <- {"n":1}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    out('1'),
    out('2'),
  ],
  [
    'another name of an output',
    ['a: X "" {"o":1} > X "" {"p":1} <- {"a":true}', 'different: adds refuted, removes refuted, no failure proved'],
    { d: decision([['a', 'X']], 'N'), X: result('X', { output: [['o', '1']] }) },
    { d: decision([['a', 'X']], 'N'), X: result('X', { output: [['p', '1']] }) },
  ],
  [
    'an output more',
    [
      'a: X "" {"o":1} > X "" {"o":1,"p":2} <- {"a":true}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    { d: decision([['a', 'X']], 'N'), X: result('X', { output: [['o', '1']] }) },
    {
      d: decision([['a', 'X']], 'N'),
      X: result('X', {
        output: [
          ['o', '1'],
          ['p', '2'],
        ],
      }),
    },
  ],
  [
    'outputs in another order',
    ['equivalent: adds proved, removes proved, no failure proved'],
    {
      d: decision([['a', 'X']], 'N'),
      X: result('X', {
        output: [
          ['p', '2'],
          ['o', '1'],
        ],
      }),
    },
    {
      d: decision([['a', 'X']], 'N'),
      X: result('X', {
        output: [
          ['o', '1'],
          ['p', '2'],
        ],
      }),
    },
  ],
  [
    'a computed output',
    [
      '? n == 1: X "" {"o":1} > X "" {"o":2} <- {"n":1}',
      'unknown /steps/X: no input was found that shows the result of step `X` and then the error `not-finite`: the values of both may be equal',
      'different: adds refuted, removes refuted, no failure unknown',
    ],
    out('n'),
    out('n + 1'),
  ],
  [
    'a computed output of the same value',
    [
      'unknown /steps/X: no input was found that shows the result of step `X` and then the result of step `X`: the values of both may be equal',
      'unknown /steps/X: no input was found that shows the result of step `X` and then the error `not-finite`: the values of both may be equal',
      'unknown /steps/X: no input was found that shows the error `not-finite` and then the result of step `X`: the values of both may be equal',
      'unknown: adds unknown, removes unknown, no failure unknown',
    ],
    out('n + n'),
    out('n * 2'),
  ],
  [
    'a computed output and a constant',
    ['? n == 1: X "" {"o":1} > X "" {"o":5} <- {"n":1}', 'different: adds refuted, removes refuted, no failure proved'],
    out('n'),
    out('5'),
  ],
  [
    'a computed output with another message',
    [
      'is_number(n): X "" {"o":1} > X "m" {"o":1} <- {"n":1}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    out('n'),
    out('n', { message: 'm' }),
  ],
  [
    'a computed output beside a constant that differs',
    [
      'true: X "" {"o":null,"p":1} > X "" {"o":null,"p":2} <- {}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    {
      d: action({}, 'X'),
      X: result('X', {
        output: [
          ['o', 'n'],
          ['p', '1'],
        ],
      }),
    },
    {
      d: action({}, 'X'),
      X: result('X', {
        output: [
          ['o', 'n'],
          ['p', '2'],
        ],
      }),
    },
  ],
  [
    'an output that fails',
    [
      '? n == 1: X "" {"o":1} > X "" {"o":2} <- {"n":1}',
      'unknown /steps/X: no input was found that shows the result of step `X` and then the error `not-finite`: the values of both may be equal',
      'different: adds refuted, removes refuted, no failure unknown',
    ],
    out('1 / n'),
    out('1 / n + 1'),
  ],
  [
    'another message',
    ['true: X "" {} > X "m" {} <- {}', 'different: adds refuted, removes refuted, no failure proved'],
    { d: action({}, 'X') },
    { d: action({}, 'X'), X: result('X', { message: 'm' }) },
  ],
  [
    'a message with a value',
    [
      '? $ == {}: X "is null" {} > X "was null" {} <- {}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    { d: action({}, 'X'), X: result('X', { message: 'is {a}' }) },
    { d: action({}, 'X'), X: result('X', { message: 'was {a}' }) },
    {},
    { message_templates: true },
    { message_templates: true },
  ],
  [
    'another field of a result',
    ['true: X "" {"limit":5} > X "" {"limit":6} <- {}', 'different: adds refuted, removes refuted, no failure proved'],
    { d: action({}, 'X'), X: result('X', { limit: 5 }) },
    { d: action({}, 'X'), X: result('X', { limit: 6 }) },
  ],
  [
    'another code',
    ['true: X "" {} > Y "" {} <- {}', 'different: adds refuted, removes refuted, no failure proved'],
    { d: action({}, 'X') },
    { d: action({}, 'X'), X: result('Y') },
  ],
  [
    'an opaque condition',
    [
      'unknown /steps/X: no input was found that shows the result of step `X` and then the result of step `N`: the value of `md5(t)` is not modelled',
      'unknown /steps/d: no input was found that shows the error `?` and then the error `?`: the values of both may be equal',
      'unknown /steps/N: no input was found that shows the result of step `N` and then the result of step `X`: the value of `md5(t)` is not modelled',
      'unknown: adds unknown, removes unknown, no failure proved',
    ],
    opaque('b'),
    opaque('c'),
  ],
  [
    'an opaque condition that an input to begin with changes',
    [
      'is_string(sha256(t)) && sha256(t) != "x": N "" {} > X "" {} <- {"t":"a"}',
      'unknown /steps/X: no input was found that shows the result of step `X` and then the result of step `N`: the value of `sha256(t)` is not modelled',
      'unknown /steps/d: no input was found that shows the error `?` and then the error `?`: the values of both may be equal',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    one('sha256(t) == "x"'),
    one('sha256(t) != "x"'),
    { seeds: [{ t: 'a' }, { t: 'b' }, { t: 'a', u: 1 }] },
  ],
  [
    'a called ruleset that is absent',
    [
      'unknown /steps/N: an execution that leads there calls something outside the ruleset',
      'unknown /steps/X: an execution that leads there calls something outside the ruleset',
      'unknown /steps/d: an execution that leads there calls something outside the ruleset',
      'unknown /steps/N: an execution that leads there calls something outside the ruleset',
      'unknown /steps/d: an execution that leads there calls something outside the ruleset',
      'unknown /steps/X: an execution that leads there calls something outside the ruleset',
      'unknown /steps/d: an execution that leads there calls something outside the ruleset',
      'unknown: adds unknown, removes unknown, no failure unknown',
    ],
    call('one'),
    call('two'),
  ],
  [
    'loops that end after other rounds',
    ['equivalent: adds proved, removes proved, no failure proved'],
    loop(2),
    loop(3),
    {},
    LOOP,
    LOOP,
  ],
  [
    'loops with another number of rounds in the result',
    ['go: N "" {"o":2} > N "" {"o":3} <- {"go":true}', 'different: adds refuted, removes refuted, no failure proved'],
    { ...loop(2), N: result('N', { output: [['o', '$v']] }) },
    { ...loop(3), N: result('N', { output: [['o', '$v']] }) },
    {},
    LOOP,
    LOOP,
  ],
  [
    'a loop that ends at the limit of one version',
    ['go: N "" {} > max-depth in d <- {"go":true}', 'different: adds refuted, removes proved, no failure refuted'],
    loop(3),
    loop(4),
    {},
    LOOP,
    LOOP,
  ],
  [
    'other limits of steps',
    ['go: N "" {} > max-depth in d <- {"go":true}', 'different: adds refuted, removes proved, no failure refuted'],
    loop(3),
    loop(3),
    {},
    LOOP,
    { entry_step: 's', max_depth: 7 },
  ],
  [
    'other kinds of numbers',
    [
      'unknown /config/numbers: one version computes with doubles, the other with decimals',
      'unknown: adds unknown, removes unknown, no failure unknown',
    ],
    one('n == 1'),
    one('n == 1'),
    {},
    {},
    { numbers: 'decimal' },
  ],
  [
    'other kinds of numbers and an input that differs',
    [
      '? n == 1: X "" {} > N "" {} <- {"n":1}',
      'unknown /config/numbers: one version computes with doubles, the other with decimals',
      'different: adds refuted, removes refuted, no failure unknown',
    ],
    one('n / 3 * 3 == 1'),
    one('n == 2'),
    {},
    {},
    { numbers: 'decimal' },
  ],
  [
    'other modes of missing fields',
    ['!exists(n): N "" {} > missing-field in d <- {}', 'different: adds refuted, removes proved, no failure refuted'],
    one('n == 1'),
    one('n == 1'),
    {},
    {},
    { field_missing: 'strict' },
  ],
  [
    'a contract that refuses more',
    [
      'n >= 0 && n < 3: N "" {} > INVALID_INPUT in  <- {"n":0}',
      'different: adds refuted, removes proved, no failure refuted',
    ],
    one('n > 5'),
    one('n > 5'),
    {},
    contract(0),
    contract(3),
  ],
  [
    'a contract that refuses less',
    [
      'n >= 0 && n < 3: INVALID_INPUT in  > N "" {} <- {"n":0}',
      'different: adds proved, removes refuted, no failure proved',
    ],
    one('n > 5'),
    one('n > 5'),
    {},
    contract(3),
    contract(0),
  ],
  [
    'a contract with a default',
    [
      '? exists(n) && n == null: INVALID_INPUT in  > N "" {} <- {"n":null}',
      '? !exists(n): INVALID_INPUT in  > X "" {} <- {}',
      'unknown /config/contract: the versions enforce different contracts, of which one has defaults',
      'different: adds unknown, removes refuted, no failure unknown',
    ],
    one('n > 5'),
    one('n > 5'),
    {},
    contract(0),
    contract(0, { required: false, default: 7 }),
  ],
  [
    'a domain',
    ['true: X "" {} > N "" {} <- {"n":6}', 'different: adds refuted, removes refuted, no failure proved'],
    one('n > 5'),
    one('n > 7'),
    { domain: new Map([['n', { types: ['number'], required: true, integer: true, minimum: 6, maximum: 7 }]]) },
  ],
  [
    'inputs to begin with outside of a domain',
    ['equivalent: adds proved, removes proved, no failure proved'],
    one('n > 5'),
    one('n > 7'),
    { seeds: [{ n: 6.5 }], domain: new Map([['n', { types: ['number'], required: true, integer: true, minimum: 9 }]]) },
  ],
  [
    'more inputs to begin with than are shown',
    [
      '? n == 6 || n == 6.1 || n == 6.2 || n == 6.3 || n == 6.4: X "" {} > N "" {} <- {"n":6}',
      'different: adds refuted, removes refuted, no failure unknown, truncated',
    ],
    one('n > 5'),
    one('n > 7'),
    { seeds: [6, 6.1, 6.2, 6.3, 6.4, 6.5].map((n) => ({ n })), budget: 0 },
  ],
  [
    'results with fewer outputs that are computed',
    [
      'true: X "" {"o":null,"p":null} > X "" {"o":null} <- {}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    {
      d: action({}, 'X'),
      X: result('X', {
        output: [
          ['o', 'n'],
          ['p', 'm'],
        ],
      }),
    },
    { d: action({}, 'X'), X: result('X', { output: [['o', 'n']] }) },
  ],
  [
    'outputs of other names that are computed',
    ['true: X "" {"o":null} > X "" {"p":null} <- {}', 'different: adds refuted, removes refuted, no failure proved'],
    { d: action({}, 'X'), X: result('X', { output: [['o', 'n']] }) },
    { d: action({}, 'X'), X: result('X', { output: [['p', 'n']] }) },
  ],
  [
    'decimal quotients of the same value',
    ['equivalent: adds proved, removes proved, no failure proved'],
    out('n / 3'),
    out('n / 3'),
    {},
    { numbers: 'decimal' },
    { numbers: 'decimal' },
  ],
  [
    'a budget that is spent',
    ['unknown: adds unknown, removes unknown, no failure unknown, truncated'],
    one('n > 5'),
    one('n > 7'),
    { budget: 0 },
  ],
  [
    'inputs to begin with',
    [
      '? n == 6 || n == 6.5: X "" {} > N "" {} <- {"n":6}',
      'different: adds refuted, removes refuted, no failure unknown, truncated',
    ],
    one('n > 5'),
    one('n > 7'),
    { seeds: [{ n: 6 }, { n: 6.5 }, { n: 9 }], budget: 0 },
  ],
  [
    'an input without members',
    ['? $ == {}: X "" {} > N "" {} <- {}', 'different: adds refuted, removes refuted, no failure unknown, truncated'],
    one('!exists(n)'),
    one('exists(n)'),
    { seeds: [{}], budget: 0 },
  ],
  [
    'regions of the same codes from two steps',
    ['n in [1, 2]: X "" {} > N "" {} <- {"n":1}', 'different: adds refuted, removes refuted, no failure proved'],
    {
      d: decision(
        [
          ['n == 1', 'X1'],
          ['n == 2', 'X2'],
        ],
        'N',
      ),
      X1: result('X'),
      X2: result('X'),
    },
    { d: action({}, 'N') },
  ],
  [
    'a result and an opaque failure',
    [
      'unknown /steps/N: no input was found that shows the result of step `N` and then the error `?`: the values of both may be equal',
      'unknown /steps/N: no input was found that shows the result of step `N` and then the error `no-branch`: the value of `md5(t)` is not modelled',
      'unknown: adds unknown, removes proved, no failure unknown',
    ],
    { d: action({}, 'N') },
    { d: decision([[`!is_string(t) || md5(t) != "${'b'.repeat(32)}"`, 'N']]) },
  ],
  [
    'an opaque failure and a result',
    [
      'unknown /steps/d: no input was found that shows the error `?` and then the result of step `N`: the values of both may be equal',
      'unknown /steps/d: no input was found that shows the error `no-branch` and then the result of step `N`: the value of `md5(t)` is not modelled',
      'unknown: adds proved, removes unknown, no failure proved',
    ],
    { d: decision([[`!is_string(t) || md5(t) != "${'b'.repeat(32)}"`, 'N']]) },
    { d: action({}, 'N') },
  ],
  [
    'a constant output that a computed one may have as well',
    [
      '? a: X "" {"o":7} > X "" {"o":5} <- {"a":true}',
      '? $ == {}: X "" {"o":null} > X "" {"o":5} <- {}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    {
      d: decision([['a', 'x3']], 'x'),
      x: result('X', { output: [['o', 'n']] }),
      x3: result('X', { output: [['o', '7']] }),
    },
    { d: action({}, 'x'), x: result('X', { output: [['o', '5']] }) },
  ],
  [
    'a computed output and a failure',
    [
      '? n == 1: X "" {"o":1} > X "" {"o":10} <- {"n":1}',
      '? n == 5e-324: X "" {"o":5e-324} > not-finite in X <- {"n":5e-324}',
      'n == 0: X "" {"o":0} > division-by-zero in X <- {"n":0}',
      'different: adds refuted, removes refuted, no failure refuted',
    ],
    out('n'),
    out('10 / n'),
  ],
  [
    'a failure in a loop without decisions',
    [
      'n == null: null-argument in d > max-depth in e <- {}',
      'is_bool(n) || is_number(n): wrong-type in d > max-depth in e <- {"n":false}',
      'different: adds proved, removes proved, no failure proved',
    ],
    { d: action({ v: 'len(n)' }, 'e'), e: action({ w: '$v' }, 'd') },
    { d: action({ v: '1' }, 'e'), e: action({ w: '$v' }, 'd') },
    {},
    { max_depth: 9 },
    { max_depth: 9 },
  ],
  [
    'a constant output that a computed one may have as well, and another code',
    [
      '? a: X "" {"o":7} > Y "" {} <- {"a":true}',
      '? !a: X "" {"o":null} > Y "" {} <- {}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    {
      d: decision([['a', 'x3']], 'x'),
      x: result('X', { output: [['o', 'n']] }),
      x3: result('X', { output: [['o', '7']] }),
    },
    { d: action({}, 'Y') },
  ],
  [
    'other kinds of numbers and the same result',
    ['equivalent: adds proved, removes proved, no failure proved'],
    { d: action({}, 'X') },
    { d: action({}, 'X') },
    {},
    {},
    { numbers: 'decimal' },
  ],
  [
    'messages with values and other codes',
    ['true: X "is null" {} > Y "is null" {} <- {}', 'different: adds refuted, removes refuted, no failure proved'],
    { d: action({}, 'X'), X: result('X', { message: 'is {a}' }) },
    { d: action({}, 'X'), X: result('Y', { message: 'is {a}' }) },
    {},
    { message_templates: true },
    { message_templates: true },
  ],
  [
    'a contract with fields that no rule reads',
    [
      'n > 5 && n <= 7: X "" {} > N "" {} <- {"n":7,"m":"p","o":1}',
      'different: adds refuted, removes refuted, no failure proved',
    ],
    one('n > 5'),
    one('n > 7'),
    {},
    unread,
    unread,
  ],
  [
    'loops that are followed to their limit of 200 steps',
    ['k: max-depth in d > X "" {} <- {"k":true}', 'different: adds proved, removes refuted, no failure proved'],
    { d: action({ v: '1' }, 'd') },
    { d: decision([['k', 'X']], 'd') },
    {},
    { max_depth: 200 },
    { max_depth: 200 },
  ],
  [
    'loops whose limit is beyond the 200 steps that are followed',
    [
      '? k == true: max-depth in d > X "" {} <- {"k":true}',
      'unknown /steps/d: no input was found that shows the error `?` and then the error `?`: the values of both may be equal',
      'different: adds proved, removes refuted, no failure proved',
    ],
    { d: action({ v: '1' }, 'd') },
    { d: decision([['k', 'X']], 'd') },
    {},
    { max_depth: 201 },
    { max_depth: 201 },
  ],
])('the whole comparison of %s', (_what, lines, before, after, options, configBefore, configAfter) => {
  expect(diffLines(diff(rulesetOf(before, configBefore), rulesetOf(after, configAfter), options))).toEqual(lines)
})
