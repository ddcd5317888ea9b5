import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { documentOf, lossLines, stepLines, table } from './documents.testing.ts'
import { fromJdm } from './from-jdm.ts'

const expressions = (id: string, list: readonly (readonly [key: string, value: string])[], rest: object = {}) => ({
  id,
  name: id,
  type: 'expressionNode',
  content: { expressions: list.map(([key, value], at) => ({ id: `${id}${at}`, key, value })), ...rest },
})

const loop = { executionMode: 'loop', inputField: 'l' }
const loopTable = (content: object) => table('a', 'k', '1', { ...loop, ...content })

/** Sums of more, and of somewhat less than half as many characters as a loop may have. */
const long = Array.from({ length: 900 }, () => 'quantity_of_goods').join(' + ')
const half = Array.from({ length: 340 }, () => 'quantity_of_goods').join(' + ')

interface Converted {
  readonly title: string
  readonly nodes: readonly Value[]
  readonly edges: readonly string[]
  readonly steps: readonly string[]
  readonly lost?: readonly string[]
}

const CONVERTED: readonly Converted[] = [
  {
    title: 'a node of several expressions',
    nodes: [
      expressions('a', [
        ['x', 'n + 1'],
        ['y', '$.x * 2'],
        ['z', 'x'],
      ]),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: x = n + 1, y = $x * 2, z = x -> out', 'out: RESULT (x = $x, y = $y, z = $z)'],
  },
  {
    title: 'a node with blank expressions',
    nodes: [
      expressions('a', [
        ['', '1'],
        ['x', '  '],
        ['y', '2'],
      ]),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: y = 2 -> out', 'out: RESULT (y = $y)'],
  },
  {
    title: 'a node without expressions',
    nodes: [expressions('a', [])],
    edges: ['in a', 'a out'],
    steps: ['* a:  -> out', 'out: RESULT ()'],
  },
  {
    title: 'a node of dotted keys',
    nodes: [
      expressions('a', [
        ['o.p', '1'],
        ['o.q', '$.o.p + 1'],
        ['r', '$.o'],
      ]),
    ],
    edges: ['in a', 'a out'],
    steps: [
      '* a: o_p = 1, o_q = $o_p + 1, r = {"p": $o_p, "q": $o_q} -> out',
      'out: RESULT (o = {"p": $o_p, "q": $o_q}, r = $r)',
    ],
  },
  {
    title: 'a node that sets a key and one below it',
    nodes: [
      expressions('a', [
        ['o', 'n'],
        ['o.p', '1'],
      ]),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: o = n, o_p = 1 -> out', 'out: RESULT (o = $o)'],
    lost: [
      'warning join /nodes/1/content/expressions/1 in `a`, `o.p`: two objects of the same name are merged in ZEN; here one replaces the other',
    ],
  },
  {
    title: 'a node that sets a key below a number',
    nodes: [
      expressions('a', [
        ['o', '1'],
        ['o.p', '2'],
      ]),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: o = 1, o_p = 2 -> out', 'out: RESULT (o = $o)'],
  },
  {
    title: 'a node that sets an object twice',
    nodes: [
      expressions('a', [
        ['o.p', '1'],
        ['o', '2'],
      ]),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: o_p = 1, o = 2 -> out', 'out: RESULT (o = $o)'],
  },
  {
    title: 'a node that reads all it has computed',
    nodes: [
      expressions('a', [
        ['x', '1'],
        ['y', '$'],
      ]),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: x = 1, y = lost("$") -> out', 'out: RESULT (x = $x, y = $y)'],
    lost: [
      'error no-counterpart /nodes/1/content/expressions/1/value in `a`, `y`: the whole of `$` or `$root` here cannot be converted',
    ],
  },
  {
    title: 'a node that reads the whole input',
    nodes: [expressions('a', [['x', '$root']])],
    edges: ['in a', 'a out'],
    steps: ['* a: x = lost("$root") -> out', 'out: RESULT (x = $x)'],
    lost: [
      'error no-counterpart /nodes/1/content/expressions/0/value in `a`, `x`: the whole of `$` or `$root` here cannot be converted',
    ],
  },
  {
    title: 'a node that reads a field of the input by its root',
    nodes: [
      expressions('a', [
        ['x', '1'],
        ['y', '$root.x'],
      ]),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: x = 1, y = x -> out', 'out: RESULT (x = $x, y = $y)'],
  },
  {
    title: 'a node of expressions that cannot be converted',
    nodes: [
      expressions('a', [
        ['x', 'rand(1)'],
        ['y', 'rand(2)'],
        ['z', '(1'],
      ]),
    ],
    edges: ['in a', 'a out'],
    steps: [
      '* a: x = lost("rand(1)"), y = lost("rand(2)"), z = lost("(1") -> out',
      'out: RESULT (x = $x, y = $y, z = $z)',
    ],
    lost: [
      'error no-counterpart /nodes/1/content/expressions/0/value in `a`, `x`: the function `rand` cannot be converted',
      'error no-counterpart /nodes/1/content/expressions/1/value in `a`, `y`: the function `rand` cannot be converted',
      'error syntax /nodes/1/content/expressions/2/value in `a`, `z`: expected `)`, found the end of the text (character 3)',
    ],
  },
  {
    title: 'a node of values of other types',
    nodes: [{ ...expressions('a', []), content: { expressions: [{ id: 1, key: 2, value: 3 }, 'x'] } }],
    edges: ['in a', 'a out'],
    steps: ['* a:  -> out', 'out: RESULT ()'],
    lost: [
      'error wrong-type /nodes/1/content/expressions/1 in `a`, expression 2: must be an object, found the text `x`',
      'error wrong-type /nodes/1/content/expressions/0/key in `a`, expression 1: must be a text, found `2`',
      'error wrong-type /nodes/1/content/expressions/0/value in `a`, expression 1: must be a text, found `3`',
    ],
  },
  {
    title: 'a node whose keys have no letters',
    nodes: [
      expressions('a', [
        ['?', '1'],
        ['!.!', '2'],
      ]),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: value = 1, value_2 = 2 -> out', 'out: RESULT (? = $value, ! = {"!": $value_2})'],
  },
  {
    title: 'a node whose name has no letters',
    nodes: [{ ...expressions('a', [['x', '1']]), name: '?' }],
    edges: ['in a', 'a out'],
    steps: ['* node "?": x = 1 -> out', 'out: RESULT (x = $x)'],
  },
  {
    title: 'a node with a long name',
    nodes: [{ ...expressions('a', [['x', '1']]), name: '_2 ' + 'ab'.repeat(40) }],
    edges: ['in a', 'a out'],
    steps: [
      '* node_2_ababababababababababababababababababababababababababababab "_2 abababababababababababababababababababababababababababababababababababababababab": x = 1 -> out',
      'out: RESULT (x = $x)',
    ],
  },
  {
    title: 'a node without a name',
    nodes: [{ ...expressions('a', [['x', '1']]), name: '' }],
    edges: ['in a', 'a out'],
    steps: ['* a: x = 1 -> out', 'out: RESULT (x = $x)'],
  },
  {
    title: 'a node whose name is no text',
    nodes: [{ ...expressions('a', [['x', '1']]), name: 5 }],
    edges: ['in a', 'a out'],
    steps: ['* a: x = 1 -> out', 'out: RESULT (x = $x)'],
  },
  {
    title: 'a node with an input field',
    nodes: [expressions('a', [['x', 'p + 1']], { inputField: 'o' })],
    edges: ['in a', 'a out'],
    steps: ['* a: x = o.p + 1 -> out', 'out: RESULT (x = $x)'],
  },
  {
    title: 'a node with a nested input field',
    nodes: [expressions('a', [['x', 'p + 1']], { inputField: 'o.q' })],
    edges: ['in a', 'a out'],
    steps: ['* a: x = o.q.p + 1 -> out', 'out: RESULT (x = $x)'],
  },
  {
    title: 'a node with an output path',
    nodes: [expressions('a', [['x', '1']], { outputPath: 'o' })],
    edges: ['in a', 'a out'],
    steps: ['* a: x = 1 -> out', 'out: RESULT (o = {"x": $x})'],
  },
  {
    title: 'a node with a nested output path',
    nodes: [expressions('a', [['x', '1']], { outputPath: 'o.q' })],
    edges: ['in a', 'a out'],
    steps: ['* a: x = 1 -> out', 'out: RESULT (o = {"q": {"x": $x}})'],
  },
  {
    title: 'a node with an output path that passes fields on',
    nodes: [expressions('a', [['x', '1']], { outputPath: 'o', passThrough: true })],
    edges: ['in a', 'a out'],
    steps: ['* a: x = 1 -> out', 'out: RESULT (o = merge(is_object(o) ? o : {}, {"x": $x}))'],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a node with an input field that passes fields on',
    nodes: [expressions('a', [['x', 'p']], { inputField: 'o', passThrough: true })],
    edges: ['in a', 'a out'],
    steps: ['* a: x = o.p -> out', 'out: RESULT (x = $x, o = o)'],
    lost: [
      'warning join /nodes/1/content in `a`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a node with an input field of a computed object',
    nodes: [
      expressions('b', [
        ['o.p', '1'],
        ['m', '2'],
      ]),
      expressions(
        'a',
        [
          ['x', 'p'],
          ['y', 'm'],
        ],
        { inputField: 'o' },
      ),
    ],
    edges: ['in b', 'b a', 'a out'],
    steps: ['* b: o_p = 1, m = 2 -> a', 'a: x = $o_p, y = null -> out', 'out: RESULT (x = $x, y = $y)'],
  },
  {
    title: 'a node with an input field of a computed value',
    nodes: [expressions('b', [['o', 'n']]), expressions('a', [['x', 'p']], { inputField: 'o' })],
    edges: ['in b', 'b a', 'a out'],
    steps: ['* b: o = n -> a', 'a: x = $o.p -> out', 'out: RESULT (x = $x)'],
  },
  {
    title: 'a node with an input field of a missing value',
    nodes: [
      expressions('b', [['m', '2']]),
      expressions(
        'a',
        [
          ['x', 'p'],
          ['y', '1'],
        ],
        { inputField: 'o' },
      ),
    ],
    edges: ['in b', 'b a', 'a out'],
    steps: ['* b: m = 2 -> a', 'a: x = null, y = 1 -> out', 'out: RESULT (x = $x, y = $y)'],
  },
  {
    title: 'a node that reads a list',
    nodes: [
      expressions('b', [['x', 'n']], { executionMode: 'loop', inputField: 'l' }),
      expressions('a', [
        ['y', 'n'],
        ['z', '$.y'],
      ]),
    ],
    edges: ['in b', 'b a', 'a out'],
    steps: [
      '* b: b = map(l, element => {"x": element.n}) -> a',
      'a: y = lost("n"), z = null -> out',
      'out: RESULT (y = $y, z = $z)',
    ],
    lost: [
      'error no-counterpart /nodes/2/content/expressions/0/value in `a`, `y`: the whole of `$` or `$root` here cannot be converted',
    ],
  },
  {
    title: 'a node that counts a list',
    nodes: [
      expressions('b', [['x', 'n']], { executionMode: 'loop', inputField: 'l' }),
      expressions('a', [['y', 'len($root)']]),
    ],
    edges: ['in b', 'b a', 'a out'],
    steps: [
      '* b: b = map(l, element => {"x": element.n}) -> a',
      'a: y = lost("len($root)") -> out',
      'out: RESULT (y = $y)',
    ],
    lost: [
      'warning text-length /nodes/2/content/expressions/0/value in `a`, `y`: ZEN measures texts in bytes, this engine in UTF-16 units: lengths differ for non-ASCII texts',
      'error no-counterpart /nodes/2/content/expressions/0/value in `a`, `y`: the whole of `$` or `$root` here cannot be converted',
    ],
  },
  {
    title: 'a function node',
    nodes: [{ id: 'a', name: 'F', type: 'functionNode', content: { source: 'code' } }],
    edges: ['in a', 'a out'],
    steps: ['* F: F = lost("code") -> out', 'out: RESULT (result = $F)'],
    lost: [
      'error no-counterpart /nodes/1 in `F`: the code of a function node cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a function node of a name without letters',
    nodes: [{ id: 'a', name: '?', type: 'functionNode', content: 'code' }],
    edges: ['in a', 'a out'],
    steps: ['* node "?": node = lost("code") -> out', 'out: RESULT (result = $node)'],
    lost: [
      'error no-counterpart /nodes/1 in `?`: the code of a function node cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a node behind a function node',
    nodes: [{ id: 'f', name: 'F', type: 'functionNode', content: {} }, expressions('a', [['x', 'k + 1']])],
    edges: ['in f', 'f a', 'a out'],
    steps: ['* F: F = lost("the code of a function node") -> a', 'a: x = $F.k + 1 -> out', 'out: RESULT (x = $x)'],
    lost: ['error no-counterpart /nodes/1 in `F`: the code of a function node cannot be converted'],
  },
  {
    title: 'a node of another document',
    nodes: [{ id: 'a', name: 'D', type: 'decisionNode', content: { key: 'x.json' } }],
    edges: ['in a', 'a out'],
    steps: ['* D: D = lost("the decision `x.json` of another document") -> out', 'out: RESULT (result = $D)'],
    lost: [
      'error no-counterpart /nodes/1 in `D`: the decision `x.json` of another document cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a node whose content is no object',
    nodes: [{ id: 'a', name: 'D', type: 'expressionNode', content: 5 }],
    edges: ['in a', 'a out'],
    steps: ['* in: RESULT ()'],
    lost: [
      'error wrong-type /nodes/1/content in `D`: must be an object, found `5`',
      'warning unknown-node /edges/0/targetId no node has the id `a`: the edge was omitted',
      'warning unknown-node /edges/1/sourceId no node has the id `a`: the edge was omitted',
      'warning unconnected /nodes/2 in `out`: the node is not connected and was omitted',
      'info input /nodes/0 in `in`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a loop',
    nodes: [
      expressions(
        'a',
        [
          ['x', 'n + 1'],
          ['', '2'],
          ['y', ''],
          ['z', '$.x * 2'],
        ],
        { executionMode: 'loop', inputField: 'l' },
      ),
    ],
    edges: ['in a', 'a out'],
    steps: [
      '* a: a = map(l, element => {"x": element.n + 1, "z": (element.n + 1) * 2}) -> out',
      'out: RESULT (result = $a)',
    ],
  },
  {
    title: 'a loop over the input',
    nodes: [expressions('a', [['x', 'n + 1']], { executionMode: 'loop' })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map($, element => {"x": element.n + 1}) -> out', 'out: RESULT (result = $a)'],
  },
  {
    title: 'a loop that passes its elements on',
    nodes: [expressions('a', [['x', 'n + 1']], { executionMode: 'loop', inputField: 'l', passThrough: true })],
    edges: ['in a', 'a out'],
    steps: [
      '* a: a = map(l, element => merge(is_object(element) ? element : {}, {"x": element.n + 1})) -> out',
      'out: RESULT (result = $a)',
    ],
  },
  {
    title: 'a loop with an output path',
    nodes: [expressions('a', [['x', 'n + 1']], { executionMode: 'loop', inputField: 'l', outputPath: 'r' })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => {"x": element.n + 1}) -> out', 'out: RESULT (r = $a)'],
  },
  {
    title: 'a loop over the result of a loop',
    nodes: [
      expressions('b', [['x', 'n']], { executionMode: 'loop', inputField: 'l' }),
      expressions('a', [['y', 'x']], { executionMode: 'loop' }),
    ],
    edges: ['in b', 'b a', 'a out'],
    steps: [
      '* b: b = map(l, element => {"x": element.n}) -> a',
      'a: a = map($b, element => {"y": element.x}) -> out',
      'out: RESULT (result = $a)',
    ],
  },
  {
    title: 'a loop of dotted keys',
    nodes: [
      expressions(
        'a',
        [
          ['o.p', '1'],
          ['o.q', '$.o.p'],
        ],
        { executionMode: 'loop', inputField: 'l' },
      ),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => {"o": {"p": 1, "q": 1}}) -> out', 'out: RESULT (result = $a)'],
  },
  {
    title: 'a loop that sets below a value',
    nodes: [
      expressions(
        'a',
        [
          ['o', 'n'],
          ['o.q', '2'],
        ],
        { executionMode: 'loop', inputField: 'l' },
      ),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => {"o": element.n}) -> out', 'out: RESULT (result = $a)'],
    lost: [
      'warning join /nodes/1/content/expressions/1 in `a`, `o.q`: two objects of the same name are merged in ZEN; here one replaces the other',
    ],
  },
  {
    title: 'a loop that reads all it has computed',
    nodes: [
      expressions(
        'a',
        [
          ['x', '1'],
          ['y', '$'],
        ],
        { executionMode: 'loop', inputField: 'l' },
      ),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: a = lost("such a node in the execution mode `loop`") -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error no-counterpart /nodes/1/content/expressions/1/value in `a`, `y`: the whole of `$` or `$root` here cannot be converted',
      'error no-counterpart /nodes/1 in `a`: such a node in the execution mode `loop` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a loop of a choice',
    nodes: [expressions('a', [['x', 'n > 1 ? 1 : 2']], { executionMode: 'loop', inputField: 'l' })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => {"x": element.n > 1 ? 1 : 2}) -> out', 'out: RESULT (result = $a)'],
  },
  {
    title: 'a loop that cannot be converted',
    nodes: [expressions('a', [['x', 'rand(1)']], { executionMode: 'loop', inputField: 'l' })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = lost("such a node in the execution mode `loop`") -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error no-counterpart /nodes/1/content/expressions/0/value in `a`, `x`: the function `rand` cannot be converted',
      'error no-counterpart /nodes/1 in `a`: such a node in the execution mode `loop` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a loop of an empty node',
    nodes: [expressions('a', [], { executionMode: 'loop', inputField: 'l' })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => {}) -> out', 'out: RESULT (result = $a)'],
  },
  {
    title: 'a loop whose name has no letters',
    nodes: [{ ...expressions('a', [['x', '1']], { executionMode: 'loop', inputField: 'l' }), name: '?' }],
    edges: ['in a', 'a out'],
    steps: ['* node "?": results = map(l, element => {"x": 1}) -> out', 'out: RESULT (result = $results)'],
  },
  {
    title: 'a loop with a long expression',
    nodes: [expressions('a', [['x', long]], { executionMode: 'loop', inputField: 'l' })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = lost("such a node in the execution mode `loop`") -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error no-counterpart /nodes/1 in `a`: such a node in the execution mode `loop` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a loop with two long expressions',
    nodes: [
      expressions(
        'a',
        [
          ['x', half],
          ['y', half],
          ['z', half],
        ],
        { executionMode: 'loop', inputField: 'l' },
      ),
    ],
    edges: ['in a', 'a out'],
    steps: [
      '* a: a = lost("such a long computation in the execution mode `loop`") -> out',
      'out: RESULT (result = $a)',
    ],
    lost: [
      'error no-counterpart /nodes/1 in `a`: such a long computation in the execution mode `loop` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a loop of another type of node',
    nodes: [{ id: 'a', name: 'a', type: 'decisionTableNode', content: { ...loop, hitPolicy: 'collect' } }],
    edges: ['in a', 'a out'],
    steps: ['* a: a = lost("such a node in the execution mode `loop`") -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error no-counterpart /nodes/1 in `a`: such a node in the execution mode `loop` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a loop of a table',
    nodes: [loopTable({})],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => (element.n > 1 ? {"k": 1} : {})) -> out', 'out: RESULT (result = $a)'],
  },
  {
    title: 'a loop of a table that passes elements on',
    nodes: [loopTable({ passThrough: true })],
    edges: ['in a', 'a out'],
    steps: [
      '* a: a = map(l, element => (element.n > 1 ? merge(is_object(element) ? element : {}, {"k": 1}) : element)) -> out',
      'out: RESULT (result = $a)',
    ],
  },
  {
    title: 'a loop of a table without a field',
    nodes: [
      loopTable({
        inputs: [{ id: 'i' }],
        rules: [
          { _id: 'r', i: 'n > 1', o: '1' },
          { _id: 's', i: '> 1', o: '2' },
        ],
      }),
    ],
    edges: ['in a', 'a out'],
    steps: [
      '* a: a = map(l, element => (element.n > 1 ? {"k": 1} : (false ? {"k": 2} : {}))) -> out',
      'out: RESULT (result = $a)',
    ],
  },
  {
    title: 'a loop of a table with several columns',
    nodes: [
      loopTable({
        inputs: [
          { id: 'i', field: ' n ' },
          { id: 'j', field: 'm + 1' },
        ],
        outputs: [
          { id: 'o', field: 'k' },
          { id: 'p', field: '' },
          { id: 'q', field: 'o.p' },
        ],
        rules: [
          { _id: 'r', i: '> 1', j: '[1..3]', o: '1', p: '2', q: '3' },
          { _id: 's', i: ' ', j: '', o: ' ', p: '2', q: '4' },
        ],
      }),
    ],
    edges: ['in a', 'a out'],
    steps: [
      '* a: a = map(l, element => (element.n > 1 && element.m + 1 >= 1 && element.m + 1 <= 3 ? {"k": 1, "o": {"p": 3}} : (true ? {"o": {"p": 4}} : {}))) -> out',
      'out: RESULT (result = $a)',
    ],
  },
  {
    title: 'a loop of a table with a column that is read',
    nodes: [loopTable({ rules: [{ _id: 'r', i: '$.a > 1', o: '1' }] })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => (element.n.a > 1 ? {"k": 1} : {})) -> out', 'out: RESULT (result = $a)'],
  },
  {
    title: 'a loop of a table that sets below a value',
    nodes: [
      loopTable({
        outputs: [
          { id: 'o', field: 'k' },
          { id: 'p', field: 'k.l' },
        ],
        rules: [{ _id: 'r', i: '1', o: 'n', p: '2' }],
      }),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => (element.n == 1 ? {"k": element.n} : {})) -> out', 'out: RESULT (result = $a)'],
    lost: [
      'warning join /nodes/1/content/rules/0 in `a`, row 1: two objects of the same name are merged in ZEN; here one replaces the other',
    ],
  },
  {
    title: 'a loop of a table with a test that cannot be converted',
    nodes: [loopTable({ rules: [{ _id: 'r', i: 'rand(1)', o: '1' }] })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = lost("such a node in the execution mode `loop`") -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error no-counterpart /nodes/1/content/rules/0/i in `a`, row 1, `n`: the function `rand` cannot be converted',
      'error no-counterpart /nodes/1 in `a`: such a node in the execution mode `loop` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a loop of a table with parentheses in a test',
    nodes: [loopTable({ rules: [{ _id: 'r', i: '(1)', o: '1' }] })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = lost("such a node in the execution mode `loop`") -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error no-counterpart /nodes/1/content/rules/0/i in `a`, row 1, `n`: parentheses in the test of a cell cannot be converted',
      'error no-counterpart /nodes/1 in `a`: such a node in the execution mode `loop` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a loop of a table with a field that cannot be converted',
    nodes: [loopTable({ inputs: [{ id: 'i', field: 'rand(1)' }] })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = lost("such a node in the execution mode `loop`") -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error no-counterpart /nodes/1/content/inputs/0/field in `a`, `rand(1)`: the function `rand` cannot be converted',
      'error no-counterpart /nodes/1 in `a`: such a node in the execution mode `loop` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a loop of a table with an output that cannot be converted',
    nodes: [loopTable({ rules: [{ _id: 'r', i: '1', o: 'rand(1)' }] })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = lost("such a node in the execution mode `loop`") -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error no-counterpart /nodes/1/content/rules/0/o in `a`, row 1, `o`: the function `rand` cannot be converted',
      'error no-counterpart /nodes/1 in `a`: such a node in the execution mode `loop` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a loop of a table without a hit policy',
    nodes: [loopTable({ hitPolicy: null })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => (element.n > 1 ? {"k": 1} : {})) -> out', 'out: RESULT (result = $a)'],
  },
  {
    title: 'a loop of a table with long rules',
    nodes: [
      loopTable({
        rules: [
          { _id: 'r', i: '1', o: half },
          { _id: 's', i: '2', o: half },
          { _id: 't', i: '3', o: half },
        ],
      }),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: a = lost("such a node in the execution mode `loop`") -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error no-counterpart /nodes/1 in `a`: such a node in the execution mode `loop` cannot be converted',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a node of functions in functions',
    nodes: [expressions('a', [['x', 'map(l, map(#, map(#, # + 1)))']])],
    edges: ['in a', 'a out'],
    steps: [
      '* a: x = map(l, item => map(item, item_2 => map(item_2, item_3 => item_3 + 1))) -> out',
      'out: RESULT (x = $x)',
    ],
  },
  {
    title: 'a result of a loop that a later node searches',
    nodes: [
      expressions('b', [['x', 'n']], { executionMode: 'loop', inputField: 'l', outputPath: 'r' }),
      expressions('a', [['y', '1 in r']]),
    ],
    edges: ['in b', 'b a', 'a out'],
    steps: ['* b: b = map(l, element => {"x": element.n}) -> a', 'a: y = 1 in $b -> out', 'out: RESULT (y = $y)'],
  },
  {
    title: 'a loop of a table with a blank field',
    nodes: [
      loopTable({
        inputs: [{ id: 'i', field: ' ' }],
        rules: [
          { _id: 'r', i: 'n > 1', o: '1' },
          { _id: 's', i: '1 or 2 and n > 3', o: '2' },
        ],
      }),
    ],
    edges: ['in a', 'a out'],
    steps: [
      '* a: a = map(l, element => (element.n > 1 ? {"k": 1} : (false ? {"k": 2} : {}))) -> out',
      'out: RESULT (result = $a)',
    ],
  },
  {
    title: 'a loop of a table whose columns have no ids',
    nodes: [loopTable({ inputs: [{ field: 'n' }], outputs: [{ field: 'k' }] })],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => (true ? {} : {})) -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error wrong-type /nodes/1/content/inputs/0/id in `a`, `n`: must be a text, found nothing',
      'error wrong-type /nodes/1/content/outputs/0/id in `a`, `k`: must be a text, found nothing',
    ],
  },
  {
    title: 'a loop of blank expressions',
    nodes: [
      expressions(
        'a',
        [
          ['x', ' '],
          ['y', '1'],
        ],
        { executionMode: 'loop', inputField: 'l' },
      ),
    ],
    edges: ['in a', 'a out'],
    steps: ['* a: a = map(l, element => {"y": 1}) -> out', 'out: RESULT (result = $a)'],
  },
]

test.each(CONVERTED)('$title becomes steps', ({ nodes, edges, steps, lost = [] }) => {
  const converted = fromJdm(documentOf(nodes, edges))
  const [imported] = converted.rulesets
  expect(imported === undefined ? [] : stepLines(imported.ruleset)).toEqual(steps)
  expect(lossLines(converted.lost)).toEqual(lost)
})
