import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { alone, documentOf, lossLines, set, stepLines, switchOn, table } from './documents.testing.ts'
import { fromJdm } from './from-jdm.ts'

const either = switchOn('s', 'n > 1')
const named = { type: 'expressionNode', content: { expressions: [{ id: 'x', key: 'k', value: '2' }] } }

/** A switch with content of its own. */
const switchOf = (id: string, content: object) => {
  const made = switchOn(id, 'n > 1') as { readonly content: object }
  return { ...made, content: { ...made.content, ...content } }
}

/** A switch with one statement that always holds. */
const always = (id: string) => switchOf(id, { statements: [{ id: 'always', condition: '' }] })

/** A node with the form of an exported terminal. */
const result = (id: string) => set(id, 'code', '"OK"', { passThrough: false }) as { readonly [member: string]: Value }

interface Converted {
  readonly title: string
  readonly nodes: readonly Value[]
  readonly edges: readonly string[]
  readonly steps: readonly string[]
  readonly lost?: readonly string[]
}

const CONVERTED: readonly Converted[] = [
  {
    title: 'one expression',
    nodes: [set('a', 'k', 'n + 1', alone)],
    edges: ['in a', 'a out'],
    steps: ['* a: k = n + 1 -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'one expression that passes the input on',
    nodes: [set('a', 'k', 'n + 1')],
    edges: ['in a', 'a out'],
    steps: ['* a: k = n + 1 -> out', 'out: RESULT (k = $k, n = n)'],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'no node but input and output',
    nodes: [],
    edges: ['in out'],
    steps: ['* out: RESULT ()'],
    lost: [
      'info input /nodes/1 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'an input node alone',
    nodes: [],
    edges: [],
    steps: ['* in: RESULT ()'],
    lost: [
      'info input /nodes/0 in `in`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a switch of which both statements lead to one node',
    nodes: [either, set('a', 'k', '1', alone)],
    edges: ['in s', 's yes a', 's no a', 'a out'],
    steps: ['* s: b1 n > 1 -> a; else -> a', 'a: k = 1 -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'ways over different switches to the same data',
    nodes: [either, always('b'), always('c'), set('d', 'k', '1', alone)],
    edges: ['in s', 's yes b', 's no c', 'b always d', 'c always d', 'd out'],
    steps: ['* s: b1 n > 1 -> d; else -> d', 'd: k = 1 -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'ways that give different data',
    nodes: [either, set('a', 'k', '1', alone), set('b', 'k', '2', alone), set('c', 'l', 'k', alone)],
    edges: ['in s', 's yes a', 's no b', 'a c', 'b c', 'c out'],
    steps: [
      '* s: b1 n > 1 -> a; else -> b',
      'a: k = 1 -> c',
      'c: l = $k -> out',
      'out: RESULT (l = $l)',
      'b: k = 2 -> c',
    ],
  },
  {
    title: 'ways of which one sets a variable that is not read',
    nodes: [either, set('a', 'k', '1', alone), set('b', 'k', '2', alone)],
    edges: ['in s', 's yes a', 's no b', 's yes b', 'b out'],
    steps: [
      '* s: b1 n > 1 -> a; else -> b-2',
      'a: k = 1 -> b',
      'b: k_2 = 2 -> out',
      'out: RESULT (k = $k_2)',
      'b-2 "b": k = 2 -> out-2',
      'out-2 "out": RESULT (k = $k)',
    ],
    lost: [
      'error several-results /nodes/4 in `out`: another node also gives a result in the same execution: which one counts depends on the order of the edges',
    ],
  },
  {
    title: 'three nodes that set one key',
    nodes: [set('a', 'k', '1', alone), set('b', 'k', '2', alone), set('c', 'k', '3', alone)],
    edges: ['in a', 'a b', 'b c', 'c out'],
    steps: ['* a: k = 1 -> b', 'b: k_2 = 2 -> c', 'c: k_3 = 3 -> out', 'out: RESULT (k = $k_3)'],
  },
  {
    title: 'nodes side by side of which one is not executed',
    nodes: [either, set('a', 'k', '1', alone), set('b', 'l', '2', alone), set('c', 'm', 'k ?? l', alone)],
    edges: ['in s', 's yes a', 'in b', 'a c', 'b c', 'c out'],
    steps: [
      '* s: b1 n > 1 -> b; else -> b-2',
      'b: l = 2 -> a',
      'a: k = 1 -> c',
      'c: m = coalesce($k, $l) -> out',
      'out: RESULT (m = $m)',
      'b-2 "b": l = 2 -> c-2',
      'c-2 "c": m = coalesce(null, $l) -> out-2',
      'out-2 "out": RESULT (m = $m)',
    ],
  },
  {
    title: 'an edge before another to the same node',
    nodes: [either, set('a', 'k', '1', alone), set('b', 'l', '2', alone), set('c', 'm', 'k', alone)],
    edges: ['in s', 'in b', 'b c', 's yes a', 'a c', 'c out'],
    steps: [
      '* s: b1 n > 1 -> b; else -> b-2',
      'b: l = 2 -> a',
      'a: k = 1 -> c',
      'c: m = $k -> out',
      'out: RESULT (m = $m)',
      'b-2 "b": l = 2 -> c-2',
      'c-2 "c": m = null -> out-2',
      'out-2 "out": RESULT (m = $m)',
    ],
  },
  {
    title: 'two edges between two nodes',
    nodes: [set('a', 'k', '1', alone), set('b', 'l', 'k', alone)],
    edges: ['in a', 'a b', 'a b', 'b out'],
    steps: ['* a: k = 1 -> b', 'b: l = $k -> out', 'out: RESULT (l = $l)'],
  },
  {
    title: 'the output of another node',
    nodes: [set('a', 'k', '1', alone), set('b', 'l', '$nodes.a.k + 1', alone)],
    edges: ['in a', 'a b', 'b out'],
    steps: ['* a: k = 1 -> b', 'b: l = $k + 1 -> out', 'out: RESULT (l = $l)'],
  },
  {
    title: 'the whole output of another node',
    nodes: [set('a', 'k', '1', alone), set('b', 'l', '$nodes.a', alone)],
    edges: ['in a', 'a b', 'b out'],
    steps: ['* a: k = 1 -> b', 'b: l = {"k": $k} -> out', 'out: RESULT (l = $l)'],
  },
  {
    title: 'the output of a node that does not lead here',
    nodes: [set('a', 'k', '1', alone), set('b', 'l', '$nodes.a.k', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: k = 1 -> b', 'b: l = lost("$nodes.a.k") -> out', 'out: RESULT (l = $l, k = $k)'],
    lost: [
      'error no-counterpart /nodes/2/content/expressions/0/value in `b`, `l`: `$nodes` with `a` cannot be converted',
    ],
  },
  {
    title: 'the output of a node itself',
    nodes: [set('a', 'k', '$nodes.a.k', alone)],
    edges: ['in a', 'a out'],
    steps: ['* a: k = lost("$nodes.a.k") -> out', 'out: RESULT (k = $k)'],
    lost: [
      'error no-counterpart /nodes/1/content/expressions/0/value in `a`, `k`: `$nodes` with `a` cannot be converted',
    ],
  },
  {
    title: 'the output of a missing node',
    nodes: [set('a', 'k', '$nodes.z.k', alone)],
    edges: ['in a', 'a out'],
    steps: ['* a: k = lost("$nodes.z.k") -> out', 'out: RESULT (k = $k)'],
    lost: [
      'error no-counterpart /nodes/1/content/expressions/0/value in `a`, `k`: `$nodes` with `z` cannot be converted',
    ],
  },
  {
    title: 'the output of a node that may not be executed',
    nodes: [either, set('a', 'k', '1', alone), set('b', 'l', '2', alone), set('c', 'm', '$nodes.a.k', alone)],
    edges: ['in s', 's yes a', 's no b', 'a c', 'b c', 'c out'],
    steps: [
      '* s: b1 n > 1 -> a; else -> b',
      'a: k = 1 -> c',
      'c: m = $k -> out',
      'out: RESULT (m = $m)',
      'b: l = 2 -> c-2',
      'c-2 "c": m = null -> out-2',
      'out-2 "out": RESULT (m = $m)',
    ],
  },
  {
    title: 'the output of the nearer of two nodes of one name',
    nodes: [set('a', 'k', '1', alone), { ...named, id: 'a2', name: 'a' }, set('b', 'l', '$nodes.a.k', alone)],
    edges: ['in a', 'in a2', 'a b', 'a2 b', 'b out'],
    steps: ['* a: k = 1 -> a-2', 'a-2 "a": k_2 = 2 -> b', 'b: l = $k -> out', 'out: RESULT (l = $l)'],
  },
  {
    title: 'a reading of another node in a list of cells',
    nodes: [set('a', 'k', '1', alone), table('t', 'l', '$nodes.a.k')],
    edges: ['in a', 'a t', 't out'],
    steps: [
      '* a: k = 1 -> t_inputs',
      't_inputs "Inputs of t": n = null -> t',
      't: first (i1 input $n, o1 output l) | r1: i1 > 1, o1 $k | -> out',
      'out: RESULT (l = $l)',
    ],
  },
  {
    title: 'ways that differ in a node that a later one names',
    nodes: [
      either,
      set('a', 'k', '1', alone),
      always('b'),
      set('c', 'l', '1', alone),
      set('d', 'm', '$nodes.c.l', alone),
    ],
    edges: ['in s', 's yes a', 's no b', 'in c', 'c d', 'd out'],
    steps: [
      '* s: b1 n > 1 -> c; else -> c-2',
      'c: l = 1 -> a',
      'a: k = 1 -> d',
      'd: m = $l -> out',
      'out: RESULT (m = $m)',
      'c-2 "c": l = 1 -> d-2',
      'd-2 "d": m = $l -> out-2',
      'out-2 "out": RESULT (m = $m)',
    ],
    lost: [
      'error several-results /nodes/6 in `out`: another node also gives a result in the same execution: which one counts depends on the order of the edges',
    ],
  },
  {
    title: 'an unknown hit policy of a switch',
    nodes: [switchOf('s', { hitPolicy: 'any' }), set('a', 'k', '1', alone)],
    edges: ['in s', 's yes a', 'a out'],
    steps: [
      '* s: b1 n > 1 -> a; else -> no_result',
      'a: k = 1 -> out',
      'out: RESULT (k = $k)',
      'no_result "No result": NO_RESULT ()',
    ],
    lost: ['error no-counterpart /nodes/1/content/hitPolicy in `s`: unknown hit policy'],
  },
  {
    title: 'a switch without a hit policy',
    nodes: [switchOf('s', { hitPolicy: null }), set('a', 'k', '1', alone)],
    edges: ['in s', 's yes a', 'a out'],
    steps: [
      '* s: b1 n > 1 -> a; else -> no_result',
      'a: k = 1 -> out',
      'out: RESULT (k = $k)',
      'no_result "No result": NO_RESULT ()',
    ],
  },
  {
    title: 'a statement that is the default by its flag',
    nodes: [
      switchOf('s', {
        statements: [
          { id: 'yes', condition: 'n > 1' },
          { id: 'no', condition: 'n > 2', isDefault: true },
          { id: 'late', condition: 'n > 3' },
        ],
      }),
      set('a', 'k', '1', alone),
      set('b', 'k', '2', alone),
      set('c', 'k', '3', alone),
    ],
    edges: ['in s', 's yes a', 's no b', 's late c', 'a out', 'b out', 'c out'],
    steps: ['* s: b1 n > 1 -> a; else -> b', 'a: k = 1 -> out', 'out: RESULT (k = $k)', 'b: k = 2 -> out'],
  },
  {
    title: 'a statement that is blank',
    nodes: [
      switchOf('s', {
        statements: [
          { id: 'yes', condition: '  ' },
          { id: 'no', condition: 'n > 2' },
        ],
      }),
      set('a', 'k', '1', alone),
      set('b', 'k', '2', alone),
    ],
    edges: ['in s', 's yes a', 's no b', 'a out', 'b out'],
    steps: ['* a: k = 1 -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'statements of which none is the default',
    nodes: [
      switchOf('s', {
        statements: [
          { id: 'yes', condition: 'n > 1' },
          { id: 'no', condition: 'n < 0' },
        ],
      }),
      set('a', 'k', '1', alone),
      set('b', 'k', '2', alone),
    ],
    edges: ['in s', 's yes a', 's no b', 'a out', 'b out'],
    steps: [
      '* s: b1 n > 1 -> a; b2 n < 0 -> b; else -> no_result',
      'a: k = 1 -> out',
      'out: RESULT (k = $k)',
      'b: k = 2 -> out',
      'no_result "No result": NO_RESULT ()',
    ],
  },
  {
    title: 'a switch without statements',
    nodes: [switchOf('s', { statements: [] }), set('a', 'k', '1', alone)],
    edges: ['in s', 's yes a', 'a out'],
    steps: ['* no_result "No result": NO_RESULT ()'],
  },
  {
    title: 'a condition that cannot be converted',
    nodes: [switchOn('s', 'rand(1) > n'), set('a', 'k', '1', alone)],
    edges: ['in s', 's yes a', 'a out'],
    steps: [
      '* s: b1 lost("rand(1) > n") -> a; else -> no_result',
      'a: k = 1 -> out',
      'out: RESULT (k = $k)',
      'no_result "No result": NO_RESULT ()',
    ],
    lost: [
      'error no-counterpart /nodes/1/content/statements/0/condition in `s`, branch 1: the function `rand` cannot be converted',
    ],
  },
  {
    title: 'a condition that is no expression',
    nodes: [switchOn('s', 'n >'), set('a', 'k', '1', alone)],
    edges: ['in s', 's yes a', 'a out'],
    steps: [
      '* s: b1 lost("n >") -> a; else -> no_result',
      'a: k = 1 -> out',
      'out: RESULT (k = $k)',
      'no_result "No result": NO_RESULT ()',
    ],
    lost: [
      'error syntax /nodes/1/content/statements/0/condition in `s`, branch 1: expected an expression, found the end of the text (character 4)',
    ],
  },
  {
    title: 'two conditions of one switch that cannot be converted',
    nodes: [
      switchOf('s', {
        statements: [
          { id: 'yes', condition: 'rand(1)' },
          { id: 'no', condition: 'rand(2)' },
        ],
      }),
      set('a', 'k', '1', alone),
      set('b', 'k', '2', alone),
    ],
    edges: ['in s', 's yes a', 's no b', 'a out', 'b out'],
    steps: [
      '* s: b1 lost("rand(1)") -> a; b2 lost("rand(2)") -> b; else -> no_result',
      'a: k = 1 -> out',
      'out: RESULT (k = $k)',
      'b: k = 2 -> out',
      'no_result "No result": NO_RESULT ()',
    ],
    lost: [
      'error no-counterpart /nodes/1/content/statements/0/condition in `s`, branch 1: the function `rand` cannot be converted',
      'error no-counterpart /nodes/1/content/statements/1/condition in `s`, branch 2: the function `rand` cannot be converted',
    ],
  },
  {
    title: 'flags and texts of other types',
    nodes: [
      switchOf('s', { statements: [{ id: 'yes', condition: 5, isDefault: 'no' }, 7] }),
      set('a', 'k', '1', alone),
    ],
    edges: ['in s', 's yes a', 'a out'],
    steps: ['* a: k = 1 -> out', 'out: RESULT (k = $k)'],
    lost: [
      'error wrong-type /nodes/1/content/statements/1 in `s`, branch 2: must be an object, found `7`',
      'error wrong-type /nodes/1/content/statements/0/condition in `s`, branch 1: must be a text, found `5`',
    ],
  },
  {
    title: 'statements that are no list',
    nodes: [switchOf('s', { statements: 'x' }), set('a', 'k', '1', alone)],
    edges: ['in s', 's yes a', 'a out'],
    steps: ['* no_result "No result": NO_RESULT ()'],
    lost: ['error wrong-type /nodes/1/content/statements in `s`: must be a list, found the text `x`'],
  },
  {
    title: 'a switch that takes each statement that holds',
    nodes: [
      switchOf('s', {
        hitPolicy: 'collect',
        statements: [
          { id: 'yes', condition: 'n > 1' },
          { id: 'no', condition: 'n > 2' },
          { id: 'all', condition: '' },
        ],
      }),
      set('a', 'k', '1', alone),
      set('b', 'l', '2', alone),
      set('c', 'm', '3', alone),
    ],
    edges: ['in s', 's yes a', 's no b', 's all c', 'a out', 'b out', 'c out'],
    steps: [
      '* s: b1 n > 1 -> s-2; else -> s-3',
      's-2 "s": b1 n > 2 -> a; else -> a-2',
      'a: k = 1 -> b',
      'b: l = 2 -> c',
      'c: m = 3 -> out',
      'out: RESULT (m = $m, l = $l, k = $k)',
      'a-2 "a": k = 1 -> c-2',
      'c-2 "c": m = 3 -> out-2',
      'out-2 "out": RESULT (m = $m, k = $k)',
      's-3 "s": b1 n > 2 -> b-2; else -> c-4',
      'b-2 "b": l = 2 -> c-3',
      'c-3 "c": m = 3 -> out-3',
      'out-3 "out": RESULT (m = $m, l = $l)',
      'c-4 "c": m = 3 -> out-4',
      'out-4 "out": RESULT (m = $m)',
    ],
  },
  {
    title: 'a name of a switch without letters',
    nodes: [{ ...switchOf('s', {}), name: '?' }, set('a', 'k', '1', alone)],
    edges: ['in s', 's yes a', 'a out'],
    steps: [
      '* switch "?": b1 n > 1 -> a; else -> no_result',
      'a: k = 1 -> out',
      'out: RESULT (k = $k)',
      'no_result "No result": NO_RESULT ()',
    ],
  },
  {
    title: 'a name of a result without letters',
    nodes: [set('a', 'k', '1', alone), { id: 'o', name: '?', type: 'outputNode' }],
    edges: ['in a', 'a o'],
    steps: ['* a: k = 1 -> result', 'result "?": RESULT (k = $k)'],
  },
  {
    title: 'an end next to an output node behind it',
    nodes: [set('a', 'k', '1', alone), set('b', 'l', '2', alone)],
    edges: ['in a', 'in b', 'b out'],
    steps: ['* a: k = 1 -> b', 'b: l = 2 -> out', 'out: RESULT (l = $l)'],
    lost: [
      'error several-results /nodes/3 in `out`: another node also gives a result in the same execution: which one counts depends on the order of the edges',
    ],
  },
  {
    title: 'an end that another branch reaches',
    nodes: [either, set('a', 'k', '1', alone), set('b', 'l', '2', alone)],
    edges: ['in s', 's yes a', 's no b', 'a out'],
    steps: [
      '* s: b1 n > 1 -> a; else -> b',
      'a: k = 1 -> out',
      'out: RESULT (k = $k)',
      'b: l = 2 -> b-2',
      'b-2 "b": RESULT (l = $l)',
    ],
  },
  {
    title: 'an end behind an open branch of the same execution',
    nodes: [set('a', 'k', '1', alone), set('b', 'l', '2', alone), set('c', 'm', '3', alone)],
    edges: ['in a', 'a out', 'in b', 'b c'],
    steps: ['* a: k = 1 -> b', 'b: l = 2 -> out', 'out: RESULT (k = $k)'],
    lost: [
      'error several-results /nodes/4 in `out`: another node also gives a result in the same execution: which one counts depends on the order of the edges',
    ],
  },
  {
    title: 'two ends',
    nodes: [set('a', 'k', '1', alone), set('b', 'l', '2', alone)],
    edges: ['in a', 'in b'],
    steps: ['* a: k = 1 -> b', 'b: l = 2 -> Result', 'Result: RESULT (k = $k, l = $l)'],
  },
  {
    title: 'an end with the name of the document order',
    nodes: [set('b', 'k', '1', alone), set('a', 'k', '2', alone)],
    edges: ['in a', 'in b'],
    steps: ['* a: k = 2 -> b', 'b: k_2 = 1 -> Result', 'Result: RESULT (k = $k)'],
  },
  {
    title: 'a branch without a result',
    nodes: [either, set('a', 'k', '1', alone)],
    edges: ['in s', 's yes a'],
    steps: [
      '* s: b1 n > 1 -> a; else -> no_result',
      'a: k = 1 -> a-2',
      'a-2 "a": RESULT (k = $k)',
      'no_result "No result": NO_RESULT ()',
    ],
  },
  {
    title: 'a branch with an output node and one without a result',
    nodes: [either, set('a', 'k', '1', alone)],
    edges: ['in s', 's yes a', 'a out'],
    steps: [
      '* s: b1 n > 1 -> a; else -> no_result',
      'a: k = 1 -> out',
      'out: RESULT (k = $k)',
      'no_result "No result": NO_RESULT ()',
    ],
  },
  {
    title: 'two branches without a result',
    nodes: [
      switchOf('s', {
        statements: [
          { id: 'yes', condition: 'n > 1' },
          { id: 'no', condition: 'n < 0' },
        ],
      }),
      set('a', 'k', '1', alone),
    ],
    edges: ['in s', 's yes a', 'a out'],
    steps: [
      '* s: b1 n > 1 -> a; b2 n < 0 -> no_result; else -> no_result',
      'a: k = 1 -> out',
      'out: RESULT (k = $k)',
      'no_result "No result": NO_RESULT ()',
    ],
  },
  {
    title: 'a list as the result',
    nodes: [table('t', 'k', 'n', { hitPolicy: 'collect' })],
    edges: ['in t', 't out'],
    steps: ['* t: collect (i1 input n, o1 output t) | r1: i1 > 1, o1 {"k": n} | -> out', 'out: RESULT (result = $t)'],
  },
  {
    title: 'a computed object as the result',
    nodes: [set('a', 'o', '{ p: n }', alone), set('b', 'x', '1', { inputField: 'o' })],
    edges: ['in a', 'a b', 'b out'],
    steps: ['* a: o = {"p": n} -> b', 'b: x = 1 -> out', 'out: RESULT (o = $o, x = $x)'],
  },
  {
    title: 'a part of the input as the result',
    nodes: [set('b', 'x', '1', { inputField: 'o', passThrough: true })],
    edges: ['in b', 'b out'],
    steps: ['* b: x = 1 -> out', 'out: RESULT (x = $x)'],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a node that is not connected',
    nodes: [set('a', 'k', '1', alone), set('b', 'l', '2', alone)],
    edges: ['in a', 'a out'],
    steps: ['* a: k = 1 -> out', 'out: RESULT (k = $k)'],
    lost: ['warning unconnected /nodes/2 in `b`: the node is not connected and was omitted'],
  },
  {
    title: 'a node that no other leads to, in front of another',
    nodes: [set('a', 'k', '1', alone), set('b', 'l', '2', alone), set('c', 'm', '3', alone)],
    edges: ['in a', 'a out', 'b c', 'c out'],
    steps: ['* a: k = 1 -> out', 'out: RESULT (k = $k)'],
    lost: ['error unconnected /nodes/2 in `b`: no node leads to this one: it was omitted'],
  },
  {
    title: 'an edge to a missing node',
    nodes: [set('a', 'k', '1', alone)],
    edges: ['in a', 'a out', 'a z', 'z a'],
    steps: ['* a: k = 1 -> out', 'out: RESULT (k = $k)'],
    lost: [
      'warning unknown-node /edges/2/targetId no node has the id `z`: the edge was omitted',
      'warning unknown-node /edges/3/sourceId no node has the id `z`: the edge was omitted',
    ],
  },
  {
    title: 'a result that a node computes in front of an output node',
    nodes: [result('r')],
    edges: ['in r', 'r out'],
    steps: ['* r: OK ()'],
  },
  {
    title: 'a result that a node computes at the end',
    nodes: [result('r')],
    edges: ['in r'],
    steps: ['* r: code = "OK" -> r-2', 'r-2 "r": RESULT (code = $code)'],
  },
  {
    title: 'a result that a node computes while another node is open',
    nodes: [result('r'), set('a', 'k', '1', alone)],
    edges: ['in r', 'in a', 'r out', 'a out'],
    steps: ['* r: code = "OK" -> a', 'a: k = 1 -> out', 'out: RESULT (k = $k, code = $code)'],
  },
  {
    title: 'a result that a node computes with two edges',
    nodes: [result('r'), set('a', 'k', '1', alone)],
    edges: ['in r', 'r out', 'r a', 'a out'],
    steps: ['* r: code = "OK" -> a', 'a: k = 1 -> out', 'out: RESULT (k = $k, code = $code)'],
  },
  {
    title: 'a result that a node computes in front of another node',
    nodes: [result('r'), set('a', 'k', '1', alone)],
    edges: ['in r', 'r a', 'a out'],
    steps: ['* r: code = "OK" -> a', 'a: k = 1 -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'results that nodes compute in branches',
    nodes: [either, result('r'), result('q')],
    edges: ['in s', 's yes r', 's no q', 'r out', 'q out'],
    steps: ['* s: b1 n > 1 -> r; else -> q', 'r: OK ()', 'q: OK ()'],
  },
  {
    title: 'a result whose name has no letters',
    nodes: [{ ...result('r'), name: '?' }],
    edges: ['in r', 'r out'],
    steps: ['* result "?": OK ()'],
  },
  {
    title: 'words of the document that are names of parameters',
    nodes: [set('a', 'item', 'map(l, # + element)', alone), set('b', 'k', 'map(item, #)', alone)],
    edges: ['in a', 'a b', 'b out'],
    steps: [
      '* a: item = map(l, item_ => item_ + element) -> b',
      'b: k = map($item, item_ => item_) -> out',
      'out: RESULT (k = $k)',
    ],
  },
  {
    title: 'a loop with a field of the name of its parameter',
    nodes: [set('a', 'k', 'element', { executionMode: 'loop', inputField: 'l', passThrough: false })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element_ => {"k": element_.element}) -> out', 'out: RESULT (result = $a)'],
  },
  {
    title: 'ways of different variables to one end',
    nodes: [either, set('a', 'k', '1', alone), set('b', 'l', '2', alone)],
    edges: ['in s', 's yes a', 'a b', 's no b'],
    steps: [
      '* s: b1 n > 1 -> a; else -> b-3',
      'a: k = 1 -> b',
      'b: l = 2 -> b-2',
      'b-2 "b": RESULT (l = $l)',
      'b-3 "b": l = 2 -> b-2',
    ],
  },
  {
    title: 'an edge twice that is not live',
    nodes: [either, set('a', 'k', '1', alone), always('b'), always('c'), set('d', 'l', '2', alone)],
    edges: ['in s', 's yes b', 's no c', 'b always d', 'b always d', 'c always d', 'a d', 'in a', 'd out'],
    steps: [
      '* s: b1 n > 1 -> a; else -> a-2',
      'a: k = 1 -> d',
      'd: l = 2 -> out',
      'out: RESULT (l = $l)',
      'a-2 "a": k = 1 -> d',
    ],
  },
  {
    title: 'an open node behind a node between',
    nodes: [set('a', 'k', '1', alone), set('b', 'l', '2', alone), set('c', 'm', '3', alone), set('d', 'o', '4', alone)],
    edges: ['in a', 'a out', 'in b', 'b c', 'c d'],
    steps: ['* a: k = 1 -> b', 'b: l = 2 -> out', 'out: RESULT (k = $k)'],
    lost: [
      'error several-results /nodes/5 in `out`: another node also gives a result in the same execution: which one counts depends on the order of the edges',
    ],
  },
  {
    title: 'results of which one includes the input',
    nodes: [either, set('a', 'k', '1'), set('b', 'l', 'm', alone)],
    edges: ['in s', 's yes a', 's no b'],
    steps: [
      '* s: b1 n > 1 -> a; else -> b',
      'a: k = 1 -> a-2',
      'a-2 "a": RESULT (k = $k, n = n, m = m)',
      'b: l = m -> b-2',
      'b-2 "b": RESULT (l = $l)',
    ],
    lost: [
      'info input /nodes/2 in `a`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a node to which the input and both branches of a switch lead',
    nodes: [switchOn('s', 'n > 1'), set('t', 'x', '1')],
    edges: ['in s', 'in t', 's yes t', 's no t', 't out'],
    steps: ['* s: b1 n > 1 -> t; else -> t', 't: x = 1 -> out', 'out: RESULT (x = $x, n = n)'],
    lost: [
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
]

test.each(CONVERTED)('$title becomes steps', ({ nodes, edges, steps, lost = [] }) => {
  const converted = fromJdm(documentOf(nodes, edges))
  const [imported] = converted.rulesets
  expect(imported === undefined ? [] : stepLines(imported.ruleset)).toEqual(steps)
  expect(lossLines(converted.lost)).toEqual(lost)
})
