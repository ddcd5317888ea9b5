import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { alone, documentOf, lossLines, set, stepLines, table } from './documents.testing.ts'
import { fromJdm } from './from-jdm.ts'

const tableOf = (content: object) => table('t', 'k', '1', content) as { readonly [member: string]: Value }

interface Converted {
  readonly title: string
  readonly nodes: readonly Value[]
  readonly edges: readonly string[]
  readonly steps: readonly string[]
  readonly lost?: readonly string[]
}

const CONVERTED: readonly Converted[] = [
  {
    title: 'one rule',
    nodes: [tableOf({})],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'a rule that always fits',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: '> 1', o: '1' },
          { _id: 's', i: ' ', o: '2' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | r2: o1 2 | -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'rules with notes',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', _description: 'large', i: '> 1', o: '1' },
          { _id: 's', _description: '', i: '< 0', o: '2' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1 "large": i1 > 1, o1 1 | r2: i1 < 0, o1 2 | -> out',
      'out: RESULT (k = $k)',
    ],
  },
  {
    title: 'rules with notes of another type',
    nodes: [tableOf({ rules: [{ _id: 'r', _description: 5, i: '> 1', o: '1' }, 7] })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | -> out', 'out: RESULT (k = $k)'],
    lost: [
      'error wrong-type /nodes/1/content/rules/1 in `t`, row 2: must be an object, found `7`',
      'error wrong-type /nodes/1/content/rules/0/_description in `t`, row 1: must be a text, found `5`',
    ],
  },
  {
    title: 'no rules',
    nodes: [tableOf({ rules: [] })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'no lists',
    nodes: [tableOf({ inputs: null, outputs: null, rules: null })],
    edges: ['in t', 't out'],
    steps: ['* t: first () | -> out', 'out: RESULT ()'],
  },
  {
    title: 'lists of other types',
    nodes: [tableOf({ inputs: 5, outputs: 'x', rules: {} })],
    edges: ['in t', 't out'],
    steps: ['* t: first () | -> out', 'out: RESULT ()'],
    lost: [
      'error wrong-type /nodes/1/content/inputs in `t`: must be a list, found `5`',
      'error wrong-type /nodes/1/content/outputs in `t`: must be a list, found the text `x`',
      'error wrong-type /nodes/1/content/rules in `t`: must be a list, found an object',
    ],
  },
  {
    title: 'columns without ids',
    nodes: [tableOf({ inputs: [{ field: 'n' }], outputs: [{ id: 5, field: 'k' }] })],
    edges: ['in t', 't out'],
    steps: ['* t: first () | r1:  | -> out', 'out: RESULT ()'],
    lost: [
      'error wrong-type /nodes/1/content/inputs/0/id in `t`, `n`: must be a text, found nothing',
      'error wrong-type /nodes/1/content/outputs/0/id in `t`, `k`: must be a text, found `5`',
    ],
  },
  {
    title: 'an output without a field',
    nodes: [
      tableOf({
        outputs: [
          { id: 'o', name: 'o' },
          { id: 'p', field: 'k' },
        ],
        rules: [{ _id: 'r', i: '1', o: '1', p: '2' }],
      }),
    ],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o2 output k) | r1: i1 1, o2 2 | -> out', 'out: RESULT (k = $k)'],
    lost: ['error missing-field /nodes/1/content/outputs/0/field in `t`, `o`: the column has no field'],
  },
  {
    title: 'an input without a field',
    nodes: [
      tableOf({
        inputs: [{ id: 'i' }],
        rules: [
          { _id: 'r', i: 'n > 1', o: '1' },
          { _id: 's', i: '> 1', o: '2' },
          { _id: 't', i: '', o: '3' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input $, o1 output k) | r1: i1 ? n > 1, o1 1 | r2: i1 ? false, o1 2 | r3: o1 3 | -> out',
      'out: RESULT (k = $k)',
    ],
  },
  {
    title: 'inputs that are paths',
    nodes: [
      tableOf({
        inputs: [
          { id: 'i', field: ' o.p ' },
          { id: 'j', field: 'l[0]' },
          { id: 'k', field: 'o["a b"]' },
        ],
        rules: [{ _id: 'r', i: '1', j: '2', k: '3', o: '1' }],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input o.p, i2 input l[0], i3 input o["a b"], o1 output k) | r1: i1 1, i2 2, i3 3, o1 1 | -> out',
      'out: RESULT (k = $k)',
    ],
  },
  {
    title: 'inputs that are computed',
    nodes: [
      tableOf({
        inputs: [
          { id: 'i', field: 'n + 1' },
          { id: 'j', field: 'n > 1' },
          { id: 'k', field: 'null' },
          { id: 'l', field: '-n' },
        ],
        rules: [{ _id: 'r', i: '> 1', j: 'true', k: 'null', l: '5', o: '1' }],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t_inputs "Inputs of t": n_1 = n + 1, n_1_2 = n > 1, null = null, n = -n -> t',
      't: first (i1 input $n_1, i2 input $n_1_2, i3 input $null, i4 input $n, o1 output k) | r1: i1 > 1, i2 true, i3 null, i4 5, o1 1 | -> out',
      'out: RESULT (k = $k)',
    ],
  },
  {
    title: 'an input of the type text',
    nodes: [
      tableOf({
        inputs: [{ id: 'i', field: 'upper(s)' }],
        rules: [
          { _id: 'r', i: '"A"', o: '1' },
          { _id: 's', i: 'startsWith($, "B")', o: '2' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t_inputs "Inputs of t": upper_s = upper(s) -> t',
      't: first (i1 input $upper_s, o1 output k) | r1: i1 "A", o1 1 | r2: i1 ? starts_with($upper_s, "B"), o1 2 | -> out',
      'out: RESULT (k = $k)',
    ],
  },
  {
    title: 'an input that cannot be converted',
    nodes: [tableOf({ inputs: [{ id: 'i', field: 'rand(n)' }], rules: [{ _id: 'r', i: '> 1', o: '1' }] })],
    edges: ['in t', 't out'],
    steps: [
      '* t_inputs "Inputs of t": rand_n = lost("rand(n)") -> t',
      't: first (i1 input $rand_n, o1 output k) | r1: i1 > 1, o1 1 | -> out',
      'out: RESULT (k = $k)',
    ],
    lost: [
      'error no-counterpart /nodes/1/content/inputs/0/field in `t`, `rand(n)`: the function `rand` cannot be converted',
    ],
  },
  {
    title: 'cells that cannot be converted',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: 'rand(n)', o: 'rand(1)' },
          { _id: 's', i: '(1)', o: '2 +' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 ? lost("rand(n)"), o1 lost("rand(1)") | r2: i1 ? lost("(1)"), o1 lost("2 +") | -> out',
      'out: RESULT (k = $k)',
    ],
    lost: [
      'error no-counterpart /nodes/1/content/rules/0/i in `t`, row 1, `n`: the function `rand` cannot be converted',
      'error no-counterpart /nodes/1/content/rules/0/o in `t`, row 1, `o`: the function `rand` cannot be converted',
      'error no-counterpart /nodes/1/content/rules/1/i in `t`, row 2, `n`: parentheses in the test of a cell cannot be converted',
      'error syntax /nodes/1/content/rules/1/o in `t`, row 2, `o`: expected an expression, found the end of the text (character 4)',
    ],
  },
  {
    title: 'cells of other types',
    nodes: [tableOf({ rules: [{ _id: 'r', i: 5, o: true }] })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1:  | -> out', 'out: RESULT (k = $k)'],
    lost: [
      'error wrong-type /nodes/1/content/rules/0/i in `t`, row 1, `n`: must be a text, found `5`',
      'error wrong-type /nodes/1/content/rules/0/o in `t`, row 1, `o`: must be a text, found `true`',
    ],
  },
  {
    title: 'a cell with a member of the column',
    nodes: [tableOf({ rules: [{ _id: 'r', i: '$.a > 1', o: '1' }] })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1: i1 ? n.a > 1, o1 1 | -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'a cell with the column in a column without a field',
    nodes: [tableOf({ inputs: [{ id: 'i' }], rules: [{ _id: 'r', i: '$ > 1', o: '1' }] })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input $, o1 output k) | r1: i1 ? lost("$ > 1"), o1 1 | -> out', 'out: RESULT (k = $k)'],
    lost: [
      'error no-counterpart /nodes/1/content/rules/0/i in `t`, row 1: the whole of `$` or `$root` here cannot be converted',
    ],
  },
  {
    title: 'a cell of output with the column',
    nodes: [tableOf({ rules: [{ _id: 'r', i: '> 1', o: '$' }] })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 lost("$") | -> out', 'out: RESULT (k = $k)'],
    lost: [
      'error no-counterpart /nodes/1/content/rules/0/o in `t`, row 1, `o`: the whole of `$` or `$root` here cannot be converted',
    ],
  },
  {
    title: 'outputs of dotted fields',
    nodes: [
      tableOf({
        outputs: [
          { id: 'o', field: 'a.b' },
          { id: 'p', field: 'a.c' },
        ],
        rules: [{ _id: 'r', i: '1', o: '1', p: '2' }],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output a_b, o2 output a_c) | r1: i1 1, o1 1, o2 2 | -> out',
      'out: RESULT (a = {"b": $a_b, "c": $a_c})',
    ],
  },
  {
    title: 'outputs of which one is below the other',
    nodes: [
      tableOf({
        outputs: [
          { id: 'o', field: 'a' },
          { id: 'p', field: 'a.c' },
        ],
        rules: [{ _id: 'r', i: '1', o: 'n', p: '2' }],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output a, o2 output a_c) | r1: i1 1, o1 n, o2 2 | -> out',
      'out: RESULT (a = $a)',
    ],
    lost: [
      'warning join /nodes/1/content/outputs/1 in `t`, `a.c`: two objects of the same name are merged in ZEN; here one replaces the other',
    ],
  },
  {
    title: 'outputs of which one is below a number',
    nodes: [
      tableOf({
        outputs: [
          { id: 'o', field: 'a' },
          { id: 'p', field: 'a.c' },
        ],
        rules: [{ _id: 'r', i: '', o: '1', p: '2' }],
      }),
    ],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output a, o2 output a_c) | r1: o1 1, o2 2 | -> out', 'out: RESULT (a = $a)'],
  },
  {
    title: 'empty cells of an output',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: '> 1', o: '1' },
          { _id: 's', i: '', o: ' ' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | r2:  | -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'passed fields behind an output',
    nodes: [tableOf({ passThrough: true, outputs: [{ id: 'o', field: 'k' }] })],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | otherwise: o1 k | -> out',
      'out: RESULT (k = $k, n = n)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'passed fields behind an output that is always set',
    nodes: [
      tableOf({
        passThrough: true,
        rules: [
          { _id: 'r', i: '> 1', o: '1' },
          { _id: 's', i: '', o: '2' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | r2: o1 2 | -> out',
      'out: RESULT (k = $k, n = n)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'passed fields behind an output that is sometimes set',
    nodes: [
      tableOf({
        passThrough: true,
        rules: [
          { _id: 'r', i: '> 1', o: '1' },
          { _id: 's', i: '', o: '' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | r2: o1 k | -> out',
      'out: RESULT (k = $k, n = n)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'passed fields behind an output that may be an object',
    nodes: [tableOf({ passThrough: true, rules: [{ _id: 'r', i: '> 1', o: 'm' }] })],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 m | otherwise: o1 k | -> out',
      'out: RESULT (k = $k, n = n, m = m)',
    ],
    lost: [
      'warning join /nodes/1/content in `t`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'passed fields behind an output that may be null',
    nodes: [
      tableOf({
        passThrough: true,
        rules: [
          { _id: 'r', i: '> 1', o: 'null' },
          { _id: 's', i: '> 0', o: '1' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 null | r2: i1 > 0, o1 1 | otherwise: o1 k | -> out',
      'out: RESULT (k = $k, n = n)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'passed fields behind a dotted output that may be null',
    nodes: [
      tableOf({ passThrough: true, outputs: [{ id: 'o', field: 'a.b' }], rules: [{ _id: 'r', i: '> 1', o: 'null' }] }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output a_b) | r1: i1 > 1, o1 null | -> out',
      'out: RESULT (a = is_object(a) || exists($a_b) ? merge(is_object(a) ? a : {}, {"b": exists($a_b) ? $a_b : a.b}) : a, n = n)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'passed fields behind a dotted output',
    nodes: [tableOf({ passThrough: true, outputs: [{ id: 'o', field: 'a.b' }] })],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output a_b) | r1: i1 > 1, o1 1 | otherwise: o1 a.b | -> out',
      'out: RESULT (a = is_object(a) || $a_b != null ? merge(is_object(a) ? a : {}, {"b": $a_b}) : a, n = n)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'passed fields behind an output in a path',
    nodes: [tableOf({ passThrough: true, outputPath: 'r.s' })],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | otherwise: o1 r.s.k | -> out',
      'out: RESULT (r = merge(is_object(r) ? r : {}, {"s": merge(is_object(r.s) ? r.s : {}, {"k": $k})}), n = n)',
    ],
    lost: [
      'warning members /nodes/1/content in `t`: objects of several nodes are merged in ZEN, and null removes a member: here a member may be missing, or still be visible',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'passed fields of a computed value',
    nodes: [set('a', 'k', '5', alone), tableOf({ passThrough: true })],
    edges: ['in a', 'a t', 't out'],
    steps: [
      '* a: k = 5 -> t_inputs',
      't_inputs "Inputs of t": n = null -> t',
      't: first (i1 input $n, o1 output k_2) | r1: i1 > 1, o1 1 | otherwise: o1 $k | -> out',
      'out: RESULT (k = $k_2)',
    ],
  },
  {
    title: 'passed fields of a null',
    nodes: [set('a', 'k', 'null', alone), tableOf({ passThrough: true, inputs: [{ id: 'i', field: 'k' }] })],
    edges: ['in a', 'a t', 't out'],
    steps: [
      '* a: k = null -> t_inputs',
      't_inputs "Inputs of t": k_2 = $k -> t',
      't: first (i1 input $k_2, o1 output k_3) | r1: i1 > 1, o1 1 | -> out',
      'out: RESULT (k = exists($k_3) ? $k_3 : $k)',
    ],
  },
  {
    title: 'an output that a later node reads',
    nodes: [tableOf({}), set('a', 'x', 'k + 1', alone)],
    edges: ['in t', 't a', 'a out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | -> a',
      'a: x = $k + 1 -> out',
      'out: RESULT (x = $x)',
    ],
  },
  {
    title: 'a text output that a later node joins',
    nodes: [tableOf({ rules: [{ _id: 'r', i: '', o: '"a"' }] }), set('a', 'x', '`${k}`', alone)],
    edges: ['in t', 't a', 'a out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1: o1 "a" | -> a', 'a: x = $k -> out', 'out: RESULT (x = $x)'],
  },
  {
    title: 'outputs of two types that a later node joins',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: '1', o: '"a"' },
          { _id: 's', i: '', o: '5' },
        ],
      }),
      set('a', 'x', 'k == l', alone),
    ],
    edges: ['in t', 't a', 'a out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 1, o1 "a" | r2: o1 5 | -> a',
      'a: x = $k == null -> out',
      'out: RESULT (x = $x)',
    ],
  },
  {
    title: 'lists and texts that a later node compares',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: '1', o: '[1]' },
          { _id: 's', i: '', o: '5' },
        ],
      }),
      set('a', 'x', 'k == l', alone),
    ],
    edges: ['in t', 't a', 'a out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 1, o1 [1] | r2: o1 5 | -> a',
      'a: x = $k == null -> out',
      'out: RESULT (x = $x)',
    ],
  },
  {
    title: 'outputs that an order reads',
    nodes: [tableOf({ rules: [{ _id: 'r', i: '1', o: '"a"' }] }), set('a', 'x', 'k > 1', alone)],
    edges: ['in t', 't a', 'a out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 1, o1 "a" | -> a',
      'a: x = $k > 1 -> out',
      'out: RESULT (x = $x)',
    ],
  },
  {
    title: 'two rows that collect',
    nodes: [
      tableOf({
        hitPolicy: 'collect',
        outputs: [
          { id: 'o', field: 'a.b' },
          { id: 'p', field: '' },
          { id: 'q', field: 'c' },
        ],
        rules: [
          { _id: 'r', i: '1', o: '1', p: '2', q: '3' },
          { _id: 's', _description: 'rest', i: '', o: '4' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: collect (i1 input n, o1 output t) | r1: i1 1, o1 {"a": {"b": 1}, "c": 3} | r2 "rest": o1 {"a": {"b": 4}} | -> out',
      'out: RESULT (result = $t)',
    ],
  },
  {
    title: 'rows that collect below a value',
    nodes: [
      tableOf({
        hitPolicy: 'collect',
        outputs: [
          { id: 'o', field: 'a' },
          { id: 'p', field: 'a.b' },
        ],
        rules: [{ _id: 'r', i: '1', o: 'n', p: '2' }],
      }),
    ],
    edges: ['in t', 't out'],
    steps: ['* t: collect (i1 input n, o1 output t) | r1: i1 1, o1 {"a": n} | -> out', 'out: RESULT (result = $t)'],
    lost: [
      'warning join /nodes/1/content/outputs/1 in `t`, `a.b`: two objects of the same name are merged in ZEN; here one replaces the other',
    ],
  },
  {
    title: 'rows that collect in a path',
    nodes: [tableOf({ hitPolicy: 'collect', outputPath: 'x.y', passThrough: true })],
    edges: ['in t', 't out'],
    steps: [
      '* t: collect (i1 input n, o1 output t) | r1: i1 > 1, o1 {"k": 1} | -> out',
      'out: RESULT (x = merge(is_object(x) ? x : {}, {"y": $t}), n = n)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'an unknown hit policy',
    nodes: [tableOf({ hitPolicy: 'any' })],
    edges: ['in t', 't out'],
    steps: ['* t: t = lost("the hit policy `any`") -> out', 'out: RESULT (result = $t)'],
    lost: [
      'error no-counterpart /nodes/1 in `t`: the hit policy `any` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'an input field',
    nodes: [tableOf({ inputField: 'o.p', inputs: [{ id: 'i', field: 'q' }] })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input o.p.q, o1 output k) | r1: i1 > 1, o1 1 | -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'an input field and passed fields',
    nodes: [tableOf({ inputField: 'o', passThrough: true })],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input o.n, o1 output k) | r1: i1 > 1, o1 1 | otherwise: o1 k | -> out',
      'out: RESULT (k = $k, o = o)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'an input field that is no path',
    nodes: [tableOf({ inputField: 'o[0]' })],
    edges: ['in t', 't out'],
    steps: ['* t: t = lost("an input field that is not a path") -> out', 'out: RESULT (result = $t)'],
    lost: [
      'error no-counterpart /nodes/1 in `t`: an input field that is not a path cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'an unknown execution mode',
    nodes: [tableOf({ executionMode: 'batch' })],
    edges: ['in t', 't out'],
    steps: ['* t: t = lost("such an execution mode") -> out', 'out: RESULT (result = $t)'],
    lost: [
      'error no-counterpart /nodes/1 in `t`: such an execution mode cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'options of other types',
    nodes: [tableOf({ inputField: 5, outputPath: [], passThrough: 'yes', executionMode: 'single' })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | -> out', 'out: RESULT (k = $k)'],
    lost: [
      'error wrong-type /nodes/1/content/inputField in `t`: must be a text, found `5`',
      'error wrong-type /nodes/1/content/outputPath in `t`: must be a text, found a list',
      'error wrong-type /nodes/1/content/passThrough in `t`: must be `true` or `false`, found the text `yes`',
    ],
  },
  {
    title: 'cells that note a difference',
    nodes: [tableOf({ rules: [{ _id: 'r', i: 'len(s)', o: 'n / 3' }] })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1: i1 ? n == len(s), o1 n / 3 | -> out', 'out: RESULT (k = $k)'],
    lost: [
      'warning text-length /nodes/1/content/rules/0/i in `t`, row 1, `n`: ZEN measures texts in bytes, this engine in UTF-16 units: lengths differ for non-ASCII texts',
      'warning decimals /nodes/1/content/rules/0/o in `t`, row 1, `o`: ZEN rounds to 28 digits, this engine to 34: results may differ after the 28th digit',
    ],
  },
  {
    title: 'cells that order a field',
    nodes: [tableOf({ rules: [{ _id: 'r', i: 'm > 3', o: 'm > 4' }] })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input n, o1 output k) | r1: i1 ? m > 3, o1 m > 4 | -> out', 'out: RESULT (k = $k)'],
    lost: [
      'warning row /nodes/1/content/rules/0/o in `t`, row 1, `o`: a row whose output compares null, or uses it as a condition, does not match in ZEN; here the comparison is false and the row matches',
    ],
  },
  {
    title: 'a name without letters',
    nodes: [{ ...tableOf({ inputs: [{ id: 'i', field: 'n + 1' }] }), name: '?' }],
    edges: ['in t', 't out'],
    steps: [
      '* node_inputs "Inputs of ?": n_1 = n + 1 -> node',
      'node "?": first (i1 input $n_1, o1 output k) | r1: i1 > 1, o1 1 | -> out',
      'out: RESULT (k = $k)',
    ],
  },
  {
    title: 'a field without letters',
    nodes: [tableOf({ inputs: [{ id: 'i', field: '-(1)' }], outputs: [{ id: 'o', field: '!' }] })],
    edges: ['in t', 't out'],
    steps: [
      '* t_inputs "Inputs of t": input_1 = -1 -> t',
      't: first (i1 input $input_1, o1 output output) | r1: i1 > 1, o1 1 | -> out',
      'out: RESULT (! = $output)',
    ],
  },
  {
    title: 'rows that collect under a name without letters',
    nodes: [{ ...tableOf({ hitPolicy: 'collect' }), name: '?' }],
    edges: ['in t', 't out'],
    steps: [
      '* node "?": collect (i1 input n, o1 output rows) | r1: i1 > 1, o1 {"k": 1} | -> out',
      'out: RESULT (result = $rows)',
    ],
  },
  {
    title: 'a blank input field',
    nodes: [tableOf({ inputs: [{ id: 'i', field: '  ' }], rules: [{ _id: 'r', i: 'n > 1', o: '1' }] })],
    edges: ['in t', 't out'],
    steps: ['* t: first (i1 input $, o1 output k) | r1: i1 ? n > 1, o1 1 | -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'an input that is a constant',
    nodes: [tableOf({ inputs: [{ id: 'i', field: 'true' }], rules: [{ _id: 'r', i: 'true', o: '1' }] })],
    edges: ['in t', 't out'],
    steps: [
      '* t_inputs "Inputs of t": true = true -> t',
      't: first (i1 input $true, o1 output k) | r1: i1 true, o1 1 | -> out',
      'out: RESULT (k = $k)',
    ],
  },
  {
    title: 'a rule of which one test is empty',
    nodes: [
      tableOf({
        passThrough: true,
        inputs: [
          { id: 'i', field: 'n' },
          { id: 'j', field: 'm' },
        ],
        rules: [{ _id: 'r', i: '> 1', j: '', o: '1' }],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, i2 input m, o1 output k) | r1: i1 > 1, o1 1 | otherwise: o1 k | -> out',
      'out: RESULT (k = $k, n = n, m = m)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a row for all others in a path',
    nodes: [
      tableOf({
        passThrough: true,
        outputPath: 'r',
        rules: [
          { _id: 'r', i: '> 1', o: '1' },
          { _id: 's', i: '', o: '2' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | r2: o1 2 | -> out',
      'out: RESULT (r = merge(is_object(r) ? r : {}, {"k": $k}), n = n)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'passed fields behind a dotted output that one row may set to null',
    nodes: [
      tableOf({
        passThrough: true,
        outputs: [{ id: 'o', field: 'a.b' }],
        rules: [
          { _id: 'r', i: '> 1', o: 'm' },
          { _id: 's', i: '> 0', o: '1' },
        ],
      }),
    ],
    edges: ['in t', 't out'],
    steps: [
      '* t: first (i1 input n, o1 output a_b) | r1: i1 > 1, o1 m | r2: i1 > 0, o1 1 | -> out',
      'out: RESULT (a = is_object(a) || exists($a_b) ? merge(is_object(a) ? a : {}, {"b": exists($a_b) ? $a_b : a.b}) : a, n = n, m = m)',
    ],
    lost: [
      'warning join /nodes/1/content in `t`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'the outputs "a" and 5, which a later node compares',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: '1', o: '"a"' },
          { _id: 's', i: '', o: '5' },
        ],
      }),
      set('a', 'x', 'k == m', alone),
    ],
    edges: ['in t', 't a', 'in a', 'a out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 1, o1 "a" | r2: o1 5 | -> a',
      'a: x = $k == m -> out',
      'out: RESULT (x = $x)',
    ],
  },
  {
    title: 'the outputs [1] and 5, which a later node compares',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: '1', o: '[1]' },
          { _id: 's', i: '', o: '5' },
        ],
      }),
      set('a', 'x', 'k == m', alone),
    ],
    edges: ['in t', 't a', 'in a', 'a out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 1, o1 [1] | r2: o1 5 | -> a',
      'a: x = $k == m -> out',
      'out: RESULT (x = $x)',
    ],
    lost: [
      'warning join /nodes/2 in `a`: two objects of the same name are merged in ZEN; here one replaces the other',
      'warning comparison /nodes/2/content/expressions/0/value in `a`, `x`: a comparison of values of unknown types: here texts have an order and lists may be equal, unlike in ZEN',
    ],
  },
  {
    title: 'the outputs {} and 5, which a later node compares',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: '1', o: '{}' },
          { _id: 's', i: '', o: '5' },
        ],
      }),
      set('a', 'x', 'k == m', alone),
    ],
    edges: ['in t', 't a', 'in a', 'a out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 1, o1 {} | r2: o1 5 | -> a',
      'a: x = $k == m -> out',
      'out: RESULT (x = $x)',
    ],
    lost: [
      'warning join /nodes/2 in `a`: two objects of the same name are merged in ZEN; here one replaces the other',
      'warning comparison /nodes/2/content/expressions/0/value in `a`, `x`: a comparison of values of unknown types: here texts have an order and lists may be equal, unlike in ZEN',
    ],
  },
  {
    title: 'the outputs m and 5, which a later node compares',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: '1', o: 'm' },
          { _id: 's', i: '', o: '5' },
        ],
      }),
      set('a', 'x', 'k == m', alone),
    ],
    edges: ['in t', 't a', 'in a', 'a out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 1, o1 m | r2: o1 5 | -> a',
      'a: x = $k == m -> out',
      'out: RESULT (x = $x)',
    ],
    lost: [
      'warning join /nodes/2 in `a`: two objects of the same name are merged in ZEN; here one replaces the other',
      'warning comparison /nodes/2/content/expressions/0/value in `a`, `x`: a comparison of values of unknown types: here texts have an order and lists may be equal, unlike in ZEN',
    ],
  },
  {
    title: 'the outputs 1 and 5, which a later node compares',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: '1', o: '1' },
          { _id: 's', i: '', o: '5' },
        ],
      }),
      set('a', 'x', 'k == m', alone),
    ],
    edges: ['in t', 't a', 'in a', 'a out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 1, o1 1 | r2: o1 5 | -> a',
      'a: x = $k == m -> out',
      'out: RESULT (x = $x)',
    ],
  },
  {
    title: 'the outputs null and 5, which a later node compares',
    nodes: [
      tableOf({
        rules: [
          { _id: 'r', i: '1', o: 'null' },
          { _id: 's', i: '', o: '5' },
        ],
      }),
      set('a', 'x', 'k == m', alone),
    ],
    edges: ['in t', 't a', 'in a', 'a out'],
    steps: [
      '* t: first (i1 input n, o1 output k) | r1: i1 1, o1 null | r2: o1 5 | -> a',
      'a: x = $k == m -> out',
      'out: RESULT (x = $x)',
    ],
  },
  {
    title: 'collected rows that a later node searches',
    nodes: [tableOf({ hitPolicy: 'collect', outputPath: 'x' }), set('a', 'y', '1 in x', alone)],
    edges: ['in t', 't a', 'a out'],
    steps: [
      '* t: collect (i1 input n, o1 output t) | r1: i1 > 1, o1 {"k": 1} | -> a',
      'a: y = 1 in $t -> out',
      'out: RESULT (y = $y)',
    ],
  },
]

test.each(CONVERTED)('a table of $title becomes steps', ({ nodes, edges, steps, lost = [] }) => {
  const converted = fromJdm(documentOf(nodes, edges))
  const [imported] = converted.rulesets
  expect(imported === undefined ? [] : stepLines(imported.ruleset)).toEqual(steps)
  expect(lossLines(converted.lost)).toEqual(lost)
})
