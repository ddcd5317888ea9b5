import type { ObjectValue } from '@engine/expression'
import type { FieldType } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { analyze, type AnalyzeOptions } from './analyze.ts'
import { action, decision, linesOf, result, rulesetOf } from './reports.testing.ts'

/** A table of which at most one row may match, as the conversion of drafts writes it. */
const unique = (rows: readonly string[]) => ({
  d: {
    type: 'action',
    next_step: 'c',
    actions: [
      { action: 'set_variable', name: 'rows', value: '[]' },
      {
        action: 'set_variable',
        name: 'rows',
        value: `array_concat($rows, flatten([${rows.map((r, i) => `if ${r} then ["r${i}"] else []`).join()}]))`,
      },
      {
        action: 'set_variable',
        name: 'rows',
        value: 'if len($rows) > 1 then to_number("several") else (if len($rows) == 1 then $rows[0] else null)',
      },
    ],
  },
  c: decision(
    rows.map((_r, i) => [`$rows == "r${i}"`, 'XYZ'[i] ?? 'N'] as const),
    'N',
  ),
})
const outputs = (type: FieldType) => [{ code: 'X', fields: [{ name: 'o', type }] }]

/** All findings, and the numbers of claims that are proved, refuted and unknown. */
test.each<[what: string, lines: readonly string[], steps: ObjectValue, options?: AnalyzeOptions, config?: ObjectValue]>(
  [
    [
      'a dead branch',
      [
        'error proved dead_branch /steps/d/branches/0: no input that comes to this step makes it true',
        'warning proved unreachable_step /steps/X: no input leads to the step `X`',
        'warning proved unreachable_code X /steps/X: no input has the result `X`',
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":true}',
        '3/7/0 any',
      ],
      {
        d: decision(
          [
            ['n > 1 && n < 1', 'X'],
            ['n == 2', 'Y'],
          ],
          'N',
        ),
      },
    ],
    [
      'a branch shadowed by one',
      [
        'error proved shadowed /steps/d/branches/1 by /steps/d/branches/0: earlier branches take all inputs for which it is true',
        'warning proved unreachable_step /steps/Y: no input leads to the step `Y`',
        'warning proved unreachable_code Y /steps/Y: no input has the result `Y`',
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":true}',
        '4/10/0 any',
      ],
      {
        d: decision(
          [
            ['n > 1', 'X'],
            ['n > 2', 'Y'],
            ['n == 0', 'Z'],
          ],
          'N',
        ),
      },
    ],
    [
      'a branch shadowed by two, of which none can be omitted',
      [
        'error proved shadowed /steps/d/branches/3 by /steps/d/branches/1 and /steps/d/branches/2: earlier branches take all inputs for which it is true',
        'warning proved unreachable_step /steps/Y: no input leads to the step `Y`',
        'warning proved unreachable_code Y /steps/Y: no input has the result `Y`',
        'info refuted can_fail wrong-type /steps/d/branches/1: an input ends here in the error `wrong-type` <- {"n":true}',
        '5/11/0 any',
      ],
      {
        d: decision(
          [
            ['a', 'Z'],
            ['n > 3', 'X'],
            ['n < 2', 'X'],
            ['is_number(n) && (n > 5 || n < 1)', 'Y'],
          ],
          'N',
        ),
      },
    ],
    [
      'the same condition three times',
      [
        'error proved shadowed /steps/d/branches/1 by /steps/d/branches/0: earlier branches take all inputs for which it is true',
        'error proved shadowed /steps/d/branches/2 by /steps/d/branches/0: earlier branches take all inputs for which it is true',
        'warning proved unreachable_step /steps/Y: no input leads to the step `Y`',
        'warning proved unreachable_step /steps/Z: no input leads to the step `Z`',
        'warning proved unreachable_code Y /steps/Y: no input has the result `Y`',
        'warning proved unreachable_code Z /steps/Z: no input has the result `Z`',
        '6/6/0 any',
      ],
      {
        d: decision(
          [
            ['n == 1', 'X'],
            ['n == 1', 'Y'],
            ['n == 1', 'Z'],
          ],
          'N',
        ),
      },
    ],
    [
      'a branch that is always true',
      [
        'warning proved always_true /steps/d/branches/1: always true when evaluated: later branches are unreachable',
        'error proved shadowed /steps/d/branches/2 by /steps/d/branches/1: earlier branches take all inputs for which it is true',
        'warning proved unreachable_step /steps/Z: no input leads to the step `Z`',
        'warning proved unreachable_step /steps/N: no input leads to the step `N`',
        'warning proved unreachable_code Z /steps/Z: no input has the result `Z`',
        'warning proved unreachable_code N /steps/N: no input has the result `N`',
        '6/7/0 any',
      ],
      {
        d: decision(
          [
            ['a', 'X'],
            ['true', 'Y'],
            ['b', 'Z'],
          ],
          'N',
        ),
      },
    ],
    [
      'a last branch that is always true',
      ['1/7/0 any'],
      {
        d: decision([
          ['a', 'X'],
          ['true', 'Y'],
        ]),
      },
    ],
    [
      'branches of which the last takes the rest',
      ['1/7/0 any'],
      {
        d: decision([
          ['a', 'X'],
          ['!a', 'Y'],
        ]),
      },
    ],
    [
      'branches of which the last takes the rest, with a default',
      [
        'warning proved unreachable_step /steps/N: no input leads to the step `N`',
        'warning proved unreachable_code N /steps/N: no input has the result `N`',
        '2/7/0 any',
      ],
      {
        d: decision(
          [
            ['a', 'X'],
            ['!a', 'Y'],
          ],
          'N',
        ),
      },
    ],
    [
      'a gap',
      [
        'error refuted gap /steps/d: an input for which no branch is true fails here: there is no default <- {}',
        '0/8/0 any',
      ],
      {
        d: decision([
          ['n == 1', 'X'],
          ['n == 2', 'Y'],
        ]),
      },
    ],
    [
      'a gap that nothing reaches',
      ['1/11/0 any'],
      {
        d: decision(
          [
            ['n == 1', 'e'],
            ['n == 2', 'X'],
          ],
          'N',
        ),
        e: decision([['n == 1', 'Y']]),
      },
    ],
    [
      'a gap of an opaque condition',
      [
        'info unknown dead_branch /steps/d/branches/0: the value of `md5(t)` is not modelled',
        'info unknown unreachable_step /steps/X: the value of `md5(t)` is not modelled',
        'info unknown unreachable_code X /steps/X: whether its step is reached is unknown',
        'warning refuted can_fail null-argument /steps/d/branches/0: an input ends here in the error `null-argument` <- {}',
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"t":1}',
        '1/5/3 any',
      ],
      {
        d: decision([
          ['md5(t) == "b"', 'X'],
          ['true', 'Y'],
        ]),
      },
    ],
    [
      'an opaque condition',
      [
        'info unknown dead_branch /steps/d/branches/0: the value of `md5(t)` is not modelled',
        'info unknown unreachable_step /steps/X: the value of `md5(t)` is not modelled',
        'info unknown unreachable_code X /steps/X: whether its step is reached is unknown',
        'info unknown can_fail /steps/d/branches/0: no input was found that agrees with all comparisons',
        '0/3/4 any',
      ],
      { d: decision([[`is_string(t) && md5(t) == "${'b'.repeat(32)}"`, 'X']], 'N') },
    ],
    [
      'a gap that only an opaque value leaves',
      [
        'info unknown gap /steps/d: the value of `md5(t)` is not modelled',
        'info unknown can_fail /steps/d/branches/1: no input was found that agrees with all comparisons',
        '0/7/2 any',
      ],
      {
        d: decision([
          [`!is_string(t)`, 'X'],
          [`md5(t) != "${'b'.repeat(32)}"`, 'Y'],
        ]),
      },
    ],
    [
      'a step that nothing leads to',
      [
        'warning proved unreachable_step /steps/e: no input leads to the step `e`',
        'warning proved unreachable_step /steps/Y: no input leads to the step `Y`',
        'warning proved unreachable_code Y /steps/Y: no input has the result `Y`',
        '3/6/0 any',
      ],
      { d: decision([['a', 'X']], 'N'), e: decision([['b', 'Y']], 'N') },
    ],
    [
      'a step behind a dead branch',
      [
        'error proved dead_branch /steps/d/branches/0: no input that comes to this step makes it true',
        'warning proved unreachable_step /steps/e: no input leads to the step `e`',
        'warning proved unreachable_step /steps/X: no input leads to the step `X`',
        'warning proved unreachable_code X /steps/X: no input has the result `X`',
        '4/3/0 any',
      ],
      { d: decision([['a && !a', 'e']], 'N'), e: action({ v: '1' }, 'X') },
    ],
    [
      'a code of two steps, one of them unreachable',
      [
        'error proved dead_branch /steps/d/branches/0: no input that comes to this step makes it true',
        'warning proved unreachable_step /steps/X2: no input leads to the step `X2`',
        'warning proved unreachable_step /steps/X: no input leads to the step `X`',
        '3/6/0 any',
      ],
      {
        d: decision(
          [
            ['a && !a', 'X2'],
            ['a', 'X1'],
          ],
          'N',
        ),
        X1: result('X'),
        X2: result('X'),
      },
    ],
    [
      'a code of two steps, both unreachable',
      [
        'error proved dead_branch /steps/d/branches/0: no input that comes to this step makes it true',
        'error proved dead_branch /steps/d/branches/1: no input that comes to this step makes it true',
        'warning proved unreachable_step /steps/X1: no input leads to the step `X1`',
        'warning proved unreachable_step /steps/X2: no input leads to the step `X2`',
        'warning proved unreachable_step /steps/X: no input leads to the step `X`',
        'warning proved unreachable_code X /steps/X1: no input has the result `X`',
        '6/3/0 any',
      ],
      {
        d: decision(
          [
            ['a && !a', 'X2'],
            ['b && !b', 'X1'],
          ],
          'N',
        ),
        X1: result('X'),
        X2: result('X'),
      },
    ],
    [
      'a division',
      [
        'warning refuted can_fail division-by-zero /steps/d/branches/0: an input ends here in the error `division-by-zero` <- {"n":0}',
        'info refuted can_fail not-finite /steps/d/branches/0: an input ends here in the error `not-finite` <- {"n":5e-324}',
        '2/8/0 any',
      ],
      { d: decision([['is_number(n) && 10 / n > 1', 'X']], 'N') },
    ],
    [
      'a wrong type',
      [
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"t":false}',
        '0/7/0 any',
      ],
      { d: decision([['starts_with(t, "a")', 'X']], 'N') },
    ],
    [
      'a null operand',
      [
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":true}',
        'warning refuted can_fail null-operand /steps/d/branches/1: an input ends here in the error `null-operand` <- {}',
        '1/11/0 any',
      ],
      {
        d: decision(
          [
            ['n > 1', 'X'],
            ['n + 1 > 1', 'Y'],
          ],
          'N',
        ),
      },
    ],
    [
      'a missing field',
      [
        'info refuted can_fail missing-field /steps/d/branches/0: an input ends here in the error `missing-field` <- {}',
        '0/7/0 any',
      ],
      { d: decision([['n == 1', 'X']], 'N') },
      {},
      { field_missing: 'strict' },
    ],
    [
      'an action that fails',
      [
        'warning refuted can_fail null-operand /steps/d: an input ends here in the error `null-operand` <- {}',
        'info refuted can_fail wrong-type /steps/d: an input ends here in the error `wrong-type` <- {"n":false}',
        'warning refuted can_fail division-by-zero /steps/d: an input ends here in the error `division-by-zero` <- {"n":0}',
        'info refuted can_fail not-finite /steps/d: an input ends here in the error `not-finite` <- {"n":5e-324}',
        '4/11/0 any',
      ],
      { d: action({ v: '10 / n' }, 'e'), e: decision([['$v > 1', 'X']], 'N') },
    ],
    [
      'actions of a branch that fail',
      [
        'warning refuted can_fail division-by-zero /steps/d/branches/0: an input ends here in the error `division-by-zero` <- {"n":0}',
        'info refuted can_fail not-finite /steps/d/branches/0: an input ends here in the error `not-finite` <- {"n":5e-324}',
        '2/8/0 any',
      ],
      { d: decision([['is_number(n)', 'X', { v: '10 / n' }]], 'N') },
    ],
    [
      'actions of a dead branch that would fail',
      [
        'error proved dead_branch /steps/d/branches/0: no input that comes to this step makes it true',
        'warning proved unreachable_step /steps/X: no input leads to the step `X`',
        'warning proved unreachable_code X /steps/X: no input has the result `X`',
        '3/3/0 any',
      ],
      { d: decision([['is_number(n) && is_string(n)', 'X', { v: '10 / n' }]], 'N') },
    ],
    [
      'a result that fails',
      [
        'warning refuted can_fail division-by-zero /steps/X: an input ends here in the error `division-by-zero` <- {"n":0}',
        'info refuted can_fail not-finite /steps/X: an input ends here in the error `not-finite` <- {"n":5e-324}',
        '2/8/0 any',
      ],
      { d: decision([['is_number(n)', 'X']], 'N'), X: result('X', { output: [['o', '10 / n']] }) },
    ],
    [
      'a result whose second output fails after the first',
      [
        'warning refuted can_fail null-operand /steps/X: an input ends here in the error `null-operand` <- {"n":1}',
        'info refuted can_fail wrong-type /steps/X: an input ends here in the error `wrong-type` <- {"n":1,"m":false}',
        'warning refuted can_fail division-by-zero /steps/X: an input ends here in the error `division-by-zero` <- {"n":0}',
        'info refuted can_fail not-finite /steps/X: an input ends here in the error `not-finite` <- {"n":5e-324}',
        '0/10/0 any',
      ],
      {
        d: decision([['is_number(n)', 'X']], 'N'),
        X: result('X', {
          output: [
            ['o', '10 / n'],
            ['p', '5 / n'],
            ['q', '1 / m'],
          ],
        }),
      },
    ],
    [
      'a message that fails',
      [
        'warning refuted can_fail division-by-zero /steps/X: an input ends here in the error `division-by-zero` <- {"n":0}',
        'info refuted can_fail not-finite /steps/X: an input ends here in the error `not-finite` <- {"n":5e-324}',
        '2/8/0 any',
      ],
      { d: decision([['is_number(n)', 'X']], 'N'), X: result('X', { message: 'about {10 / n}' }) },
      {},
      { message_templates: true },
    ],
    ['a result without expressions', ['0/6/0 any'], { d: decision([['a', 'X']], 'N'), X: result('X', { output: [] }) }],
    [
      'a number that is too large',
      [
        'info refuted can_fail not-finite /steps/d/branches/0: an input ends here in the error `not-finite` <- {"n":-8.98846567431158e+307}',
        '2/7/0 any',
      ],
      { d: decision([['is_number(n) && n * 2 > 5', 'X']], 'N') },
    ],
    [
      'a loop without an end',
      [
        'error refuted depth_limit /steps/d: an input enters more than 10 steps (`max_depth`) <- {"go":true}',
        '0/6/0 any',
      ],
      { d: decision([['go', 'e']], 'N'), e: action({ v: '1' }, 'd') },
      {},
      { max_depth: 10 },
    ],
    [
      'a loop that ends',
      ['1/6/0 any'],
      { s: action({ v: '0' }, 'd'), d: decision([['$v < 3', 'e']], 'N'), e: action({ v: '$v + 1' }, 'd') },
      {},
      { entry_step: 's' },
    ],
    [
      'a loop that ends too late',
      [
        'warning proved always_true /steps/d/branches/0: always true when evaluated: later branches are unreachable',
        'warning proved unreachable_step /steps/N: no input leads to the step `N`',
        'warning proved unreachable_code N /steps/N: no input has the result `N`',
        'error refuted depth_limit /steps/s: an input enters more than 10 steps (`max_depth`) <- {}',
        '3/5/0 any',
      ],
      { s: action({ v: '0' }, 'd'), d: decision([['$v < 6', 'e']], 'N'), e: action({ v: '$v + 1' }, 'd') },
      {},
      { entry_step: 's', max_depth: 10 },
    ],
    [
      'a loop of an opaque value',
      [
        'info unknown dead_branch /steps/d/branches/0: the value of `md5(t)` is not modelled',
        'info unknown unreachable_step /steps/e: the value of `md5(t)` is not modelled',
        'info unknown can_fail /steps/d/branches/0: no input was found that agrees with all comparisons',
        'info unknown depth_limit /steps/d: step `d` may be entered more than 10 times',
        '0/3/4 any truncated',
      ],
      { d: decision([[`is_string(t) && md5(t) == "${'b'.repeat(32)}"`, 'e']], 'N'), e: action({ v: '1' }, 'd') },
      {},
      { max_depth: 10 },
    ],
    [
      'a loop that enters the same step in many states',
      [
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":true}',
        'info unknown can_fail null-operand /steps/e: the budget ended first',
        'info unknown can_fail wrong-type /steps/e: the budget ended first',
        'info unknown can_fail not-finite /steps/e: the search took longer than its budget',
        'info unknown depth_limit /steps/s: the budget ended first',
        '0/7/4 any truncated',
      ],
      { s: action({ v: 'n' }, 'd'), d: decision([['$v > 0', 'e']], 'N'), e: action({ v: '$v - 1' }, 'd') },
      { budget: 2000 },
      { entry_step: 's', max_depth: 9 },
    ],
    [
      'an endless loop of steps without a decision',
      [
        'error refuted depth_limit /steps/d: an input enters more than 10 steps (`max_depth`) <- {"go":true}',
        '0/7/0 any',
      ],
      { d: decision([['go', 'e']], 'N'), e: action({ v: '1' }, 'f'), f: action({ v: '2' }, 'e') },
      {},
      { max_depth: 10 },
    ],
    [
      'a loop that ends at the limit',
      ['1/6/0 any'],
      { s: action({ v: '0' }, 'd'), d: decision([['$v < 3', 'e']], 'N'), e: action({ v: '$v + 1' }, 'd') },
      {},
      { entry_step: 's', max_depth: 9 },
    ],
    [
      'a loop that ends one step after the limit',
      [
        'warning proved unreachable_step /steps/N: no input leads to the step `N`',
        'warning proved unreachable_code N /steps/N: no input has the result `N`',
        'error refuted depth_limit /steps/s: an input enters more than 8 steps (`max_depth`) <- {}',
        '2/5/0 any',
      ],
      { s: action({ v: '0' }, 'd'), d: decision([['$v < 3', 'e']], 'N'), e: action({ v: '$v + 1' }, 'd') },
      {},
      { entry_step: 's', max_depth: 8 },
    ],
    [
      'two entries of one step with other variables',
      [
        'warning proved always_true /steps/e/branches/1: always true when evaluated: later branches are unreachable',
        'error proved shadowed /steps/e/branches/2 by /steps/e/branches/0 and /steps/e/branches/1: earlier branches take all inputs for which it is true',
        'warning proved unreachable_step /steps/Z: no input leads to the step `Z`',
        'warning proved unreachable_step /steps/N: no input leads to the step `N`',
        'warning proved unreachable_code Z /steps/Z: no input has the result `Z`',
        'warning proved unreachable_code N /steps/N: no input has the result `N`',
        '6/10/0 any',
      ],
      {
        d: decision([['a', 'e', { v: '1' }]], 'f'),
        f: action({ v: '2' }, 'e'),
        e: decision(
          [
            ['$v == 1', 'X'],
            ['$v == 2', 'Y'],
            ['$v == 3', 'Z'],
          ],
          'N',
        ),
      },
    ],
    [
      'a branch dead in one state and shadowed in another',
      [
        'error proved shadowed /steps/e/branches/1 by /steps/e/branches/0: earlier branches take all inputs for which it is true',
        'warning proved unreachable_step /steps/Y: no input leads to the step `Y`',
        'warning proved unreachable_code Y /steps/Y: no input has the result `Y`',
        '4/10/0 any',
      ],
      {
        d: decision([['a', 'e', { v: '1' }]], 'f'),
        f: action({ v: '2' }, 'e'),
        e: decision([
          ['$v == 1', 'X'],
          ['$v == 1 && b', 'Y'],
          ['$v == 2', 'Z'],
        ]),
      },
    ],
    ['rows of which one may match, apart', ['1/10/0 any'], unique(['n == 1', 'n == 2'])],
    [
      'rows of which one may match, together',
      [
        'error proved dead_branch /steps/c/branches/0: no input that comes to this step makes it true',
        'error proved dead_branch /steps/c/branches/2: no input that comes to this step makes it true',
        'warning proved unreachable_step /steps/X: no input leads to the step `X`',
        'warning proved unreachable_step /steps/Z: no input leads to the step `Z`',
        'warning proved unreachable_code X /steps/X: no input has the result `X`',
        'warning proved unreachable_code Z /steps/Z: no input has the result `Z`',
        'error refuted overlap /steps/c/branches/1 by /steps/c/branches/0: an input matches this row and an earlier one, and at most one may match <- {"n":1}',
        'error refuted overlap /steps/c/branches/2 by /steps/c/branches/1: an input matches this row and an earlier one, and at most one may match <- {"n":4}',
        'info refuted can_fail wrong-type /steps/d: an input ends here in the error `wrong-type` <- {"n":false}',
        '9/10/0 any',
      ],
      unique(['n == 1', 'n > 0 && n < 5', 'n == 4']),
    ],
    [
      'rows of which one may match, together by an opaque value',
      [
        'info unknown dead_branch /steps/c/branches/1: the value of `md5(t)` is not modelled',
        'info unknown unreachable_step /steps/Y: the value of `md5(t)` is not modelled',
        'info unknown unreachable_code Y /steps/Y: whether its step is reached is unknown',
        'info unknown overlap /steps/c/branches/1: the value of `md5(t)` is not modelled',
        'info unknown can_fail /steps/d: no input was found that agrees with all comparisons',
        '2/7/5 any',
      ],
      unique(['a == 1', `is_string(t) && md5(t) == "${'b'.repeat(32)}"`]),
    ],
    [
      'rows of which the first matching one counts',
      [
        'info refuted overlap /steps/d/branches/1 by /steps/d/branches/0: an input matches this row and an earlier one with another result, which counts <- {"n":4}',
        'info refuted overlap /steps/d/branches/2 by /steps/d/branches/1: an input matches this row and an earlier one with another result, which counts <- {"n":4,"m":1}',
        'info refuted overlap /steps/d/branches/3 by /steps/d/branches/0: an input matches this row and an earlier one with another result, which counts <- {"n":2,"m":2}',
        'info refuted overlap /steps/d/branches/4 by /steps/d/branches/3: an input matches this row and an earlier one with another result, which counts <- {"m":2}',
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":true}',
        '2/18/0 any',
      ],
      {
        d: decision([
          ['n > 1', 'X'],
          ['n > 3 || n == 0', 'Y'],
          ['m == 1', 'X'],
          ['m == 2', 'Y', { v: '1' }],
          ['m == 2 || m == 3', 'Y', { v: '2' }],
          ['true', 'Z'],
        ]),
      },
      { firstMatch: new Set(['d']) },
    ],
    [
      'rows of which the first matching one counts, with the same result',
      [
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":true}',
        '1/8/0 any',
      ],
      {
        d: decision(
          [
            ['n > 1', 'X', { v: '1' }],
            ['n > 3 || n == 0', 'X', { v: '1' }],
          ],
          'N',
        ),
      },
      { firstMatch: new Set(['d']) },
    ],
    [
      'outputs of a contract: another code',
      [
        'error proved contract X /steps/X: the output `o` of the contract is missing',
        'error refuted contract N /steps/N: the contract has no result `N` <- {}',
        '1/7/0 any',
      ],
      { d: decision([['a', 'X']], 'N') },
      { outputs: outputs({ kind: 'number' }) },
    ],
    [
      'outputs of a contract: a missing one',
      ['error proved contract X /steps/X: the output `o` of the contract is missing', '1/4/0 any'],
      { d: decision([['a', 'X']], 'X') },
      { outputs: outputs({ kind: 'number' }) },
    ],
    [
      'outputs of a contract: a constant of another type',
      ['error refuted contract X /steps/X: the output `o` has another type than in the contract <- {}', '0/4/0 any'],
      { d: action({}, 'X'), X: result('X', { output: [['o', '"x"']] }) },
      { outputs: outputs({ kind: 'number' }) },
    ],
    [
      'outputs of a contract: a constant of its type',
      ['1/3/0 any'],
      { d: action({}, 'X'), X: result('X', { output: [['o', '5']] }) },
      { outputs: outputs({ kind: 'number' }) },
    ],
    [
      'outputs of a contract: a computed value of its type',
      [
        'info refuted contract X /steps/X: the output `o` has another type than in the contract <- {"n":false}',
        '0/5/0 any',
      ],
      { d: decision([['is_number(n)', 'X']], 'X'), X: result('X', { output: [['o', 'n']] }) },
      { outputs: outputs({ kind: 'number' }) },
    ],
    [
      'outputs of a contract: a value of another type',
      [
        'error refuted contract X /steps/X: the output `o` has another type than in the contract <- {"n":"text"}',
        '1/6/0 any',
      ],
      {
        d: decision([['is_string(n)', 'X']], 'N'),
        X: result('X', { output: [['o', 'n']] }),
        N: result('X', { output: [['o', '1']] }),
      },
      { outputs: outputs({ kind: 'number' }) },
    ],
    [
      'outputs of a contract: null',
      ['1/3/0 any'],
      { d: action({}, 'X'), X: result('X', { output: [['o', 'null']] }) },
      { outputs: outputs({ kind: 'number' }) },
    ],
    [
      'outputs of a contract: an opaque value',
      [
        'info unknown contract X /steps/X: the value of `(if (md5(t) == "b") then "x" else 1)` is not modelled',
        'info unknown can_fail /steps/X: no input was found that agrees with all comparisons',
        '1/5/2 any',
      ],
      {
        d: decision([['is_string(t)', 'X']], 'N'),
        N: result('X', { output: [['o', '1']] }),
        X: result('X', { output: [['o', 'if md5(t) == "b" then "x" else 1']] }),
      },
      { outputs: outputs({ kind: 'number' }) },
    ],
    [
      'inputs of a contract',
      [
        'warning proved unreachable_step /steps/N: no input leads to the step `N`',
        'warning proved unreachable_code N /steps/N: no input has the result `N`',
        '2/7/0 contract',
      ],
      {
        d: decision(
          [
            ['n > 0', 'X'],
            ['n == 0', 'Y'],
          ],
          'N',
        ),
      },
      {},
      {
        contract: {
          mode: 'enforce',
          contract: {
            name: 'r',
            version: '1.0.0',
            input: { fields: [{ name: 'n', type: 'number', required: true, minimum: 0 }] },
            outputs: [],
          },
        },
      },
    ],
    [
      'a budget that is spent',
      [
        'info unknown unreachable_step /steps/d: the budget ended first',
        'info unknown dead_branch /steps/d/branches/0: the budget ended first',
        'info unknown dead_branch /steps/d/branches/1: the budget ended first',
        'info unknown unreachable_step /steps/X: the budget ended first',
        'info unknown unreachable_step /steps/Y: the budget ended first',
        'info unknown unreachable_step /steps/N: the budget ended first',
        'info unknown unreachable_code X /steps/X: whether its step is reached is unknown',
        'info unknown unreachable_code Y /steps/Y: whether its step is reached is unknown',
        'info unknown unreachable_code N /steps/N: whether its step is reached is unknown',
        '0/0/9 any truncated',
      ],
      {
        d: decision(
          [
            ['n > 0', 'X'],
            ['n == 0', 'Y'],
          ],
          'N',
        ),
      },
      { budget: 0 },
    ],
    [
      'inputs to begin with',
      [
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":true}',
        '0/7/0 any',
      ],
      { d: decision([['n > 5', 'X']], 'N') },
      { seeds: [{ n: 77 }] },
    ],
    [
      'outputs of a contract: one that fails',
      [
        'warning refuted can_fail division-by-zero /steps/X: an input ends here in the error `division-by-zero` <- {"n":0}',
        'info refuted can_fail not-finite /steps/X: an input ends here in the error `not-finite` <- {"n":5e-324}',
        '4/7/0 any',
      ],
      {
        d: decision([['is_number(n)', 'X']], 'N'),
        X: result('X', { output: [['o', '10 / n']] }),
        N: result('X', {
          output: [
            ['o', '1'],
            ['p', '2'],
          ],
        }),
      },
      { outputs: [{ code: 'X', fields: [{ name: 'o', type: { kind: 'number' } }] }] },
    ],
    [
      'outputs of a contract: an unreachable result',
      [
        'error proved dead_branch /steps/d/branches/0: no input that comes to this step makes it true',
        'warning proved unreachable_step /steps/X: no input leads to the step `X`',
        'warning proved unreachable_code X /steps/X: no input has the result `X`',
        '3/3/0 any',
      ],
      { d: decision([['a && !a', 'X']], 'Y') },
      { outputs: [{ code: 'Y', fields: [] }] },
    ],
    [
      'outputs of a contract under a contract of inputs',
      [
        'error refuted contract X /steps/X: the output `o` has another type than in the contract <- {"n":5,"t":false}',
        '0/7/0 contract',
      ],
      { d: decision([['n == 5', 'X']], 'Y'), X: result('X', { output: [['o', 't']] }) },
      {
        outputs: [
          { code: 'X', fields: [{ name: 'o', type: { kind: 'number' } }] },
          { code: 'Y', fields: [] },
        ],
      },
      {
        contract: {
          mode: 'enforce',
          contract: {
            name: 'r',
            version: '1.0.0',
            input: { fields: [{ name: 'n', type: 'number', required: true, minimum: 0 }] },
            outputs: [],
          },
        },
      },
    ],
    [
      'without generated code',
      [
        'error refuted gap /steps/d: an input for which no branch is true fails here: there is no default <- {}',
        '0/5/0 any',
      ],
      { d: decision([['n == 5', 'X']]) },
      { compiles: false },
    ],
    [
      'a called ruleset that is absent',
      [
        'info unknown unreachable_step /steps/e: an execution that leads there calls something outside the ruleset',
        'info unknown dead_branch /steps/e/branches/0: an execution that leads there calls something outside the ruleset',
        'info unknown unreachable_step /steps/X: an execution that leads there calls something outside the ruleset',
        'info unknown unreachable_step /steps/N: an execution that leads there calls something outside the ruleset',
        'info unknown unreachable_code X /steps/X: whether its step is reached is unknown',
        'info unknown unreachable_code N /steps/N: whether its step is reached is unknown',
        'info unknown can_fail /steps/d: an execution that leads there calls something outside the ruleset',
        '0/1/7 any',
      ],
      {
        d: {
          type: 'action',
          next_step: 'e',
          actions: [{ action: 'call_ruleset', ruleset_name: 'other', result_variable: 'v' }],
        },
        e: decision([['$v.code == "A"', 'X']], 'N'),
      },
    ],
    [
      'without the further search',
      [
        'info unknown dead_branch /steps/d/branches/1: the value of `upper(t)` is not modelled',
        'info unknown unreachable_step /steps/Y: the value of `upper(t)` is not modelled',
        'info unknown unreachable_code Y /steps/Y: whether its step is reached is unknown',
        'warning refuted can_fail null-operand /steps/d/branches/0: an input ends here in the error `null-operand` <- {}',
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":false}',
        'info refuted can_fail not-finite /steps/d/branches/0: an input ends here in the error `not-finite` <- {"n":1.7976931348623157e+308}',
        'warning refuted can_fail null-argument /steps/d/branches/1: an input ends here in the error `null-argument` <- {"n":1}',
        'info refuted can_fail wrong-type /steps/d/branches/1: an input ends here in the error `wrong-type` <- {"n":1,"t":false}',
        '0/11/3 any',
      ],
      {
        d: decision(
          [
            ['n * n == 49', 'X'],
            ['upper(t) == "AB"', 'Y'],
          ],
          'N',
        ),
      },
      { further: undefined },
    ],
    [
      'with the further search',
      [
        'warning refuted can_fail null-operand /steps/d/branches/0: an input ends here in the error `null-operand` <- {}',
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":false}',
        'info refuted can_fail not-finite /steps/d/branches/0: an input ends here in the error `not-finite` <- {"n":1.7976931348623157e+308}',
        'warning refuted can_fail null-argument /steps/d/branches/1: an input ends here in the error `null-argument` <- {"n":1}',
        'info refuted can_fail wrong-type /steps/d/branches/1: an input ends here in the error `wrong-type` <- {"n":1,"t":false}',
        '0/14/0 any',
      ],
      {
        d: decision(
          [
            ['n * n == 49', 'X'],
            ['upper(t) == "AB"', 'Y'],
          ],
          'N',
        ),
      },
    ],
    [
      'rows of which one may match, together with a later one but not with an opaque one',
      [
        'info unknown dead_branch /steps/c/branches/0: the value of `md5(t)` is not modelled',
        'error proved dead_branch /steps/c/branches/1: no input that comes to this step makes it true',
        'info unknown unreachable_step /steps/X: the value of `md5(t)` is not modelled',
        'warning proved unreachable_step /steps/Y: no input leads to the step `Y`',
        'info unknown unreachable_code X /steps/X: whether its step is reached is unknown',
        'warning proved unreachable_code Y /steps/Y: no input has the result `Y`',
        'info unknown overlap /steps/c/branches/1: the value of `md5(t)` is not modelled',
        'error refuted overlap /steps/c/branches/2 by /steps/c/branches/1: an input matches this row and an earlier one, and at most one may match <- {"t":"text","n":1}',
        'warning refuted can_fail bad-argument /steps/d: an input ends here in the error `bad-argument` <- {"t":"text","n":1}',
        '10/9/4 any',
      ],
      unique([`is_string(t) && md5(t) == "${'b'.repeat(32)}"`, 'is_number(n) && n == 1', 'is_number(n) && n > 0']),
    ],
    [
      'rows of which the first matching one counts, after an opaque one',
      [
        'info unknown dead_branch /steps/d/branches/0: the value of `md5(t)` is not modelled',
        'error refuted gap /steps/d: an input for which no branch is true fails here: there is no default <- {}',
        'info unknown overlap /steps/d/branches/1: the value of `md5(t)` is not modelled',
        'info refuted overlap /steps/d/branches/2 by /steps/d/branches/1: an input matches this row and an earlier one with another result, which counts <- {"n":4}',
        'info unknown overlap /steps/d/branches/3: the value of `md5(t)` is not modelled',
        'info unknown can_fail /steps/d/branches/0: no input was found that agrees with all comparisons',
        '2/12/4 any',
      ],
      {
        d: decision([
          [`is_string(t) && md5(t) == "${'b'.repeat(32)}"`, 'X'],
          ['is_number(n) && n > 3', 'Y'],
          ['is_number(n) && n > 1', 'X'],
          ['is_string(t) && t == "a"', 'Z'],
        ]),
      },
      { firstMatch: new Set(['d']) },
    ],
    [
      'outputs of a contract: another type only where an earlier output fails',
      [
        'warning refuted can_fail null-operand /steps/X: an input ends here in the error `null-operand` <- {}',
        'info refuted can_fail wrong-type /steps/X: an input ends here in the error `wrong-type` <- {"n":false}',
        'info unknown can_fail not-finite /steps/X: no input was found that agrees with all comparisons',
        '1/5/1 any',
      ],
      {
        d: action({}, 'X'),
        X: result('X', {
          output: [
            ['o', 'n + 1'],
            ['p', 'n'],
          ],
        }),
      },
      { outputs: [{ code: 'X', fields: [{ name: 'p', type: { kind: 'number' } }] }] },
    ],
    [
      'an action after one that always fails',
      [
        'warning proved unreachable_step /steps/X: no input leads to the step `X`',
        'warning proved unreachable_code X /steps/X: no input has the result `X`',
        'warning refuted can_fail division-by-zero /steps/d: an input ends here in the error `division-by-zero` <- {}',
        '2/2/0 any',
      ],
      { d: action({ v: '1 / 0', w: '10 / n' }, 'X') },
    ],
    [
      'a loop whose rounds a small domain limits',
      ['1/6/0 contract'],
      { s: action({ v: '0' }, 'd'), d: decision([['$v < n', 'e']], 'N'), e: action({ v: '$v + 1' }, 'd') },
      { domain: new Map([['n', { types: ['number'], required: true, integer: true, minimum: 0, maximum: 2 }]]) },
      { entry_step: 's', max_depth: 20 },
    ],
    [
      'outputs of a contract: a field of the result of its type',
      ['1/3/0 any'],
      { d: action({}, 'X'), X: result('X', { o: 5 }) },
      { outputs: outputs({ kind: 'number' }) },
    ],
    [
      'outputs of a contract: a field of the result of another type',
      ['error refuted contract X /steps/X: the output `o` has another type than in the contract <- {}', '0/4/0 any'],
      { d: action({}, 'X'), X: result('X', { o: 'x' }) },
      { outputs: outputs({ kind: 'number' }) },
    ],
    [
      'a step behind a condition of two numbers',
      [
        'warning refuted can_fail null-operand /steps/d/branches/0: an input ends here in the error `null-operand` <- {}',
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":false,"m":false}',
        'info refuted can_fail not-finite /steps/d/branches/0: an input ends here in the error `not-finite` <- {"n":1.7976931348623157e+308,"m":1.7976931348623157e+308}',
        '0/14/0 any',
      ],
      {
        d: decision([['n + m == 12 && n > m', 'e']], 'N'),
        e: decision(
          [
            ['k == 1', 'X'],
            ['k == 2', 'Y'],
          ],
          'N',
        ),
      },
    ],
    [
      'a step behind a condition of two fields',
      ['0/11/0 any'],
      {
        d: decision([['a == b && a != null && !is_number(a)', 'e']], 'N'),
        e: decision(
          [
            ['k == 1', 'X'],
            ['k == 2', 'Y'],
          ],
          'N',
        ),
      },
    ],
    [
      'a step behind a branch that most inputs pass',
      ['0/15/0 any'],
      {
        d: decision(
          [
            ['a', 'X'],
            ['b || n == 3', 'e'],
          ],
          'N',
        ),
        e: decision(
          [
            ['b', 'X'],
            ['n == 3 && k == 2', 'Y'],
            ['k == 4', 'Z'],
          ],
          'N',
        ),
      },
    ],
    [
      'rows of which the first matching one counts, three together',
      [
        'info refuted overlap /steps/d/branches/1 by /steps/d/branches/0: an input matches this row and an earlier one with another result, which counts <- {"n":3}',
        'info refuted overlap /steps/d/branches/2 by /steps/d/branches/0: an input matches this row and an earlier one with another result, which counts <- {"n":4}',
        'info refuted can_fail wrong-type /steps/d/branches/0: an input ends here in the error `wrong-type` <- {"n":true}',
        '2/15/0 any',
      ],
      {
        d: decision(
          [
            ['n > 1', 'X'],
            ['n > 2 || n == 0', 'Y'],
            ['n > 3 || n == -1', 'Z'],
          ],
          'N',
        ),
      },
      { firstMatch: new Set(['d']) },
    ],
    [
      'a variable that is read two steps later',
      [
        'warning proved always_true /steps/f/branches/0: always true when evaluated: later branches are unreachable',
        'error proved shadowed /steps/f/branches/1 by /steps/f/branches/0: earlier branches take all inputs for which it is true',
        'warning proved unreachable_step /steps/Y: no input leads to the step `Y`',
        'warning proved unreachable_step /steps/Z: no input leads to the step `Z`',
        'warning proved unreachable_code Y /steps/Y: no input has the result `Y`',
        'warning proved unreachable_code Z /steps/Z: no input has the result `Z`',
        '6/10/0 any',
      ],
      {
        d: decision([['a', 'e', { v: '1' }]], 'N'),
        e: decision([['b', 'f']], 'N'),
        f: decision(
          [
            ['$v == 1', 'X'],
            ['$v == 2', 'Y'],
          ],
          'Z',
        ),
      },
    ],
  ],
)('the whole report of %s', (_what, lines, steps, options, config) => {
  expect(linesOf(analyze(rulesetOf(steps, config), options))).toEqual(lines)
})

const SEARCHED: readonly ObjectValue[] = [
  {
    d: decision(
      [
        ['n > 5 && md5(t) == "x"', 'e', { v: 'n + 1' }],
        ['n + 1 > 3', 'X'],
        ['n == 1 || m == 2', 'Y'],
      ],
      'N',
    ),
    e: decision([['$v > 9', 'Y']]),
    X: result('X', { output: [['o', '1 / n']] }),
  },
  {
    d: decision(
      [
        ['a && b', 'X'],
        ['n * m == 12 && n > m', 'e'],
        ['a || n > 2', 'Y'],
        ['n > 3', 'Z'],
      ],
      'N',
    ),
    e: decision(
      [
        ['n < m', 'X'],
        ['n + m == 8', 'Y'],
      ],
      'Z',
    ),
  },
]

test.each(
  SEARCHED.flatMap((steps, index) =>
    [0, 1, 20, 100, 277, 278, 300, 1000].map((budget) => [index, budget, steps] as const),
  ),
)(
  'the report of the searched ruleset %d with the budget %d proves what one without limits does, and nothing if it is truncated',
  (_index, budget, steps) => {
    const ruleset = rulesetOf(steps)
    const report = analyze(ruleset, { budget })
    const proofsOf = ({ findings }: typeof report) =>
      findings.filter(({ verdict }) => verdict === 'proved').map(({ kind, place }) => `${kind} ${place}`)
    expect(proofsOf(analyze(ruleset))).toEqual(expect.arrayContaining(proofsOf(report)))
    if (report.truncated) expect(report.questions.proved).toBe(0)
  },
)

test.each<ObjectValue>([
  { type: 'boolean' },
  { type: 'string' },
  { type: 'string', enum: ['p', 'q'] },
  { type: 'number', maximum: -3 },
  { type: 'number', enum: [5, 6] },
  { type: 'integer', minimum: 3.5 },
  { type: 'array<string>' },
  { type: 'object' },
  { type: 'any' },
])('inputs have a field that the contract requires, and that decides nothing: %j', (field) => {
  const fields = [
    { name: 'n', type: 'number', required: true },
    { name: 'm', required: true, ...field },
  ]
  const config = {
    contract: { mode: 'enforce', contract: { name: 'r', version: '1.0.0', input: { fields }, outputs: [] } },
  }
  const ends = [[], [['exists(m)', 'Y'] as const]].map((rows) =>
    linesOf(analyze(rulesetOf({ d: decision([['n > 5', 'X'], ...rows], 'N') }, config))).at(-1),
  )
  expect(ends).toEqual(['0/6/0 contract', '3/7/0 contract'])
})

test.each([
  [100, ['/steps/d/branches/99']],
  [101, []],
])('of %d rows of which the first matching one counts, those that overlap are %j', (count, overlaps) => {
  const rows = Array.from({ length: count - 1 }, (_, index) => [`n == ${index}`, 'X'] as const)
  const ruleset = rulesetOf({ d: decision([...rows, ['n in [0, -1]', 'Y']], 'N') })
  const { findings } = analyze(ruleset, { firstMatch: new Set(['d']) })
  expect(findings.filter(({ kind }) => kind === 'overlap').map(({ place }) => place)).toEqual(overlaps)
})

test.each([
  [199, 199],
  [200, 200],
  [201, 200],
])('a loop with the limit %d is followed for %d steps', (limit, steps) => {
  const loop = { d: decision([[`md5(t) == "${'b'.repeat(32)}"`, 'd']], 'N') }
  const { findings } = analyze(rulesetOf(loop, { max_depth: limit }), { further: undefined, compiles: false })
  const found = findings.filter(({ kind }) => kind === 'depth_limit').map(({ reason }) => reason)
  expect(found).toEqual([`step \`d\` may be entered more than ${steps} times`])
})
