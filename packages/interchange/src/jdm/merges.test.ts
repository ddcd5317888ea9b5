import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { alone, documentOf, lossLines, set, stepLines, table } from './documents.testing.ts'
import { fromJdm } from './from-jdm.ts'

const collect = (id: string) => table(id, 'k', 'n', { hitPolicy: 'collect' })
const code = (id: string) => ({ id, name: id, type: 'functionNode', content: {} })

interface Converted {
  readonly title: string
  readonly nodes: readonly Value[]
  readonly edges: readonly string[]
  readonly steps: readonly string[]
  readonly lost?: readonly string[]
}

const CONVERTED: readonly Converted[] = [
  {
    title: 'an object in front of the input',
    nodes: [set('a', 'o.p', '1')],
    edges: ['in a', 'a out'],
    steps: ['* a: o_p = 1 -> out', 'out: RESULT (o = merge(is_object(o) ? o : {}, {"p": $o_p}))'],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a value in front of the input',
    nodes: [set('a', 'o', 'n')],
    edges: ['in a', 'a out'],
    steps: ['* a: o = n -> out', 'out: RESULT (o = $o, n = n)'],
    lost: [
      'warning join /nodes/1/content in `a`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a number in front of the input',
    nodes: [set('a', 'o', '1')],
    edges: ['in a', 'a out'],
    steps: ['* a: o = 1 -> out', 'out: RESULT (o = $o)'],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'null in front of the input',
    nodes: [set('a', 'o', 'null')],
    edges: ['in a', 'a out'],
    steps: ['* a: o = null -> out', 'out: RESULT (o = $o)'],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a list in front of the input',
    nodes: [set('a', 'o', '[1]')],
    edges: ['in a', 'a out'],
    steps: ['* a: o = [1] -> out', 'out: RESULT (o = $o)'],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'an object value in front of the input',
    nodes: [set('a', 'o', '{ p: 1 }')],
    edges: ['in a', 'a out'],
    steps: ['* a: o = {"p": 1} -> out', 'out: RESULT (o = $o)'],
    lost: [
      'warning join /nodes/1/content in `a`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'the input behind itself',
    nodes: [set('a', 'o', 'o')],
    edges: ['in a', 'a out'],
    steps: ['* a: o = o -> out', 'out: RESULT (o = $o)'],
    lost: [
      'warning join /nodes/1/content in `a`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'the input in front of a value',
    nodes: [set('a', 'k', 'n + 1', alone)],
    edges: ['in out', 'in a', 'a out'],
    steps: ['* a: k = n + 1 -> out', 'out: RESULT (k = exists(k) ? k : $k, n = n)'],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'the input in front of a list',
    nodes: [set('a', 'k', '[1]', alone)],
    edges: ['in out', 'in a', 'a out'],
    steps: ['* a: k = [1] -> out', 'out: RESULT (k = exists(k) ? k : $k)'],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'the input in front of a value that may be an object',
    nodes: [set('a', 'k', 'm', alone)],
    edges: ['in out', 'in a', 'a out'],
    steps: ['* a: k = m -> out', 'out: RESULT (k = exists(k) ? k : $k, m = m)'],
    lost: [
      'warning join /nodes/2 in `out`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'the input in front of itself',
    nodes: [set('a', 'k', 'k', alone)],
    edges: ['in out', 'in a', 'a out'],
    steps: ['* a: k = k -> out', 'out: RESULT (k = exists(k) ? k : $k)'],
    lost: [
      'warning join /nodes/2 in `out`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'the input in front of an object',
    nodes: [set('a', 'o.p', 'n', alone)],
    edges: ['in out', 'in a', 'a out'],
    steps: [
      '* a: o_p = n -> out',
      'out: RESULT (o = is_object(o) ? merge(is_object(o) ? o : {}, {"p": exists(o.p) ? o.p : $o_p}) : (exists(o) ? o : {"p": $o_p}), n = n)',
    ],
    lost: [
      'warning join /nodes/2 in `out`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'two values',
    nodes: [set('a', 'k', '1', alone), set('b', 'k', '"b"', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: k = 1 -> b', 'b: k_2 = "b" -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'two values of which the first may be null',
    nodes: [set('a', 'k', 'n', alone), set('b', 'k', '"b"', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: k = n -> b', 'b: k_2 = "b" -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'two values that may be null',
    nodes: [set('a', 'k', 'n', alone), set('b', 'k', 'm', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: k = n -> b', 'b: k_2 = m -> out', 'out: RESULT (k = $k)'],
    lost: [
      'warning join /nodes/3 in `out`: two objects of the same name are merged in ZEN; here one replaces the other',
    ],
  },
  {
    title: 'two computed values that may be null',
    nodes: [set('a', 'k', 'n ?? m', alone), set('b', 'k', 'm / n', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: k = coalesce(n, m) -> b', 'b: k_2 = n == 0 ? null : m / n -> out', 'out: RESULT (k = $k)'],
    lost: [
      'warning decimals /nodes/2/content/expressions/0/value in `b`, `k`: ZEN rounds to 28 digits, this engine to 34: results may differ after the 28th digit',
    ],
  },
  {
    title: 'a value and null',
    nodes: [set('a', 'k', 'null', alone), set('b', 'k', '1', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: k = null -> b', 'b: k_2 = 1 -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'null and a value',
    nodes: [set('a', 'k', '1', alone), set('b', 'k', 'null', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: k = 1 -> b', 'b: k_2 = null -> out', 'out: RESULT (k = $k)'],
  },
  {
    title: 'two objects',
    nodes: [set('a', 'o.p', '1', alone), set('b', 'o.q', '2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: o_p = 1 -> b', 'b: o_q = 2 -> out', 'out: RESULT (o = {"q": $o_q, "p": $o_p})'],
  },
  {
    title: 'two objects with one member',
    nodes: [set('a', 'o.p', '1', alone), set('b', 'o.p', '2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: o_p = 1 -> b', 'b: o_p_2 = 2 -> out', 'out: RESULT (o = {"p": $o_p})'],
  },
  {
    title: 'an object and a value',
    nodes: [set('a', 'o.p', '1', alone), set('b', 'o', '2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: o_p = 1 -> b', 'b: o = 2 -> out', 'out: RESULT (o = {"p": $o_p})'],
  },
  {
    title: 'a value and an object',
    nodes: [set('a', 'o', '1', alone), set('b', 'o.p', '2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: o = 1 -> b', 'b: o_p = 2 -> out', 'out: RESULT (o = $o)'],
  },
  {
    title: 'a value that may be an object in front of an object',
    nodes: [set('a', 'o', 'n', alone), set('b', 'o.p', '2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: o = n -> b', 'b: o_p = 2 -> out', 'out: RESULT (o = $o)'],
    lost: [
      'warning join /nodes/3 in `out`: two objects of the same name are merged in ZEN; here one replaces the other',
    ],
  },
  {
    title: 'an object in front of a value that may be one',
    nodes: [set('a', 'o.p', '1', alone), set('b', 'o', 'n', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: o_p = 1 -> b', 'b: o = n -> out', 'out: RESULT (o = merge(is_object($o) ? $o : {}, {"p": $o_p}))'],
  },
  {
    title: 'an object in front of null',
    nodes: [set('a', 'o.p', '1', alone), set('b', 'o', 'null', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: o_p = 1 -> b', 'b: o = null -> out', 'out: RESULT (o = {"p": $o_p})'],
  },
  {
    title: 'a row in front of a value',
    nodes: [table('a', 'k', '1'), set('b', 'k', '2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | -> b',
      'b: k_2 = 2 -> out',
      'out: RESULT (k = exists($k) ? $k : $k_2)',
    ],
  },
  {
    title: 'a row that may set null in front of a value',
    nodes: [table('a', 'k', 'm'), set('b', 'k', '2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output k) | r1: i1 > 1, o1 m | -> b',
      'b: k_2 = 2 -> out',
      'out: RESULT (k = exists($k) ? $k : $k_2)',
    ],
  },
  {
    title: 'a row in front of null',
    nodes: [table('a', 'k', 'm'), set('b', 'k', 'null', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output k) | r1: i1 > 1, o1 m | -> b',
      'b: k_2 = null -> out',
      'out: RESULT (k = exists($k) ? $k : $k_2)',
    ],
  },
  {
    title: 'a value in front of a row',
    nodes: [set('a', 'k', '1', alone), table('b', 'k', '2')],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: k = 1 -> b',
      'b: first (i1 input n, o1 output k_2) | r1: i1 > 1, o1 2 | -> out',
      'out: RESULT (k = $k)',
    ],
  },
  {
    title: 'a row in front of a row',
    nodes: [table('a', 'k', '1'), table('b', 'k', '2')],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | -> b',
      'b: first (i1 input n, o1 output k_2) | r1: i1 > 1, o1 2 | -> out',
      'out: RESULT (k = exists($k) ? $k : $k_2)',
    ],
  },
  {
    title: 'a row with an object in front of a value',
    nodes: [table('a', 'o.p', '1'), set('b', 'o', '2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p) | r1: i1 > 1, o1 1 | -> b',
      'b: o = 2 -> out',
      'out: RESULT (o = exists($o_p) ? {"p": $o_p} : $o)',
    ],
  },
  {
    title: 'a row with an object in front of a value that may be one',
    nodes: [table('a', 'o.p', '1'), set('b', 'o', 'n', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p) | r1: i1 > 1, o1 1 | -> b',
      'b: o = n -> out',
      'out: RESULT (o = is_object($o) || exists($o_p) ? merge(is_object($o) ? $o : {}, {"p": exists($o_p) ? $o_p : $o.p}) : $o)',
    ],
  },
  {
    title: 'a row with an object in front of an object',
    nodes: [table('a', 'o.p', '1'), set('b', 'o.q', '2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p) | r1: i1 > 1, o1 1 | -> b',
      'b: o_q = 2 -> out',
      'out: RESULT (o = {"q": $o_q, "p": $o_p})',
    ],
  },
  {
    title: 'a row with an object in front of a row with one',
    nodes: [table('a', 'o.p', '1'), table('b', 'o.q', '2')],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p) | r1: i1 > 1, o1 1 | -> b',
      'b: first (i1 input n, o1 output o_q) | r1: i1 > 1, o1 2 | -> out',
      'out: RESULT (o = {"q": $o_q, "p": $o_p})',
    ],
  },
  {
    title: 'a row with an object in front of null',
    nodes: [table('a', 'o.p', '1'), set('b', 'o', 'null', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p) | r1: i1 > 1, o1 1 | -> b',
      'b: o = null -> out',
      'out: RESULT (o = {"p": $o_p})',
    ],
  },
  {
    title: 'a row with null in an object in front of a value',
    nodes: [table('a', 'o.p', 'null'), set('b', 'o', '5', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p) | r1: i1 > 1, o1 null | -> b',
      'b: o = 5 -> out',
      'out: RESULT (o = exists($o_p) ? {"p": $o_p} : $o)',
    ],
  },
  {
    title: 'a row with a nested object in front of a value',
    nodes: [table('a', 'o.p.q', '1'), set('b', 'o', '5', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p_q) | r1: i1 > 1, o1 1 | -> b',
      'b: o = 5 -> out',
      'out: RESULT (o = exists($o_p_q) ? {"p": {"q": $o_p_q}} : $o)',
    ],
  },
  {
    title: 'a row with a nested object in front of the input',
    nodes: [table('a', 'o.p.q', '1', { passThrough: true })],
    edges: ['in a', 'a out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p_q) | r1: i1 > 1, o1 1 | otherwise: o1 o.p.q | -> out',
      'out: RESULT (o = is_object(o) || $o_p_q != null ? merge(is_object(o) ? o : {}, {"p": is_object(o.p) || $o_p_q != null ? merge(is_object(o.p) ? o.p : {}, {"q": $o_p_q}) : o.p}) : o, n = n)',
    ],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a row with an object in front of the input twice',
    nodes: [table('a', 'o.p', '1', { passThrough: true }), table('b', 'o.q', '2', { passThrough: true })],
    edges: ['in a', 'a b', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p) | r1: i1 > 1, o1 1 | otherwise: o1 o.p | -> b',
      'b: first (i1 input n, o1 output o_q) | r1: i1 > 1, o1 2 | otherwise: o1 o.q | -> out',
      'out: RESULT (o = is_object(o) || $o_p != null || $o_q != null ? merge(is_object(o) ? o : {}, {"p": $o_p, "q": $o_q}) : o, n = n)',
    ],
    lost: [
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a row with an object in front of rows with objects and a value',
    nodes: [table('a', 'o.p', '1'), table('b', 'o.q', '2'), set('c', 'o', '3', alone)],
    edges: ['in a', 'in b', 'in c', 'a out', 'b out', 'c out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p) | r1: i1 > 1, o1 1 | -> b',
      'b: first (i1 input n, o1 output o_q) | r1: i1 > 1, o1 2 | -> c',
      'c: o = 3 -> out',
      'out: RESULT (o = exists($o_q) || exists($o_p) ? {"q": $o_q, "p": $o_p} : $o)',
    ],
  },
  {
    title: 'a row with null in an object in front of the input',
    nodes: [table('a', 'o.p', 'null', { passThrough: true }), table('b', 'o.q', '2', { passThrough: true })],
    edges: ['in a', 'a b', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p) | r1: i1 > 1, o1 null | -> b',
      'b: first (i1 input n, o1 output o_q) | r1: i1 > 1, o1 2 | otherwise: o1 o.q | -> out',
      'out: RESULT (o = is_object(o) || exists($o_p) || $o_q != null ? merge(is_object(o) ? o : {}, {"p": exists($o_p) ? $o_p : o.p, "q": $o_q}) : o, n = n)',
    ],
    lost: [
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a filled row with null in front of an object',
    nodes: [table('a', 'o.p', 'm', { passThrough: true, rules: [{ _id: 'r', i: '', o: 'm' }] })],
    edges: ['in a', 'a out'],
    steps: [
      '* a: first (i1 input n, o1 output o_p) | r1: o1 m | -> out',
      'out: RESULT (o = merge(is_object(o) ? o : {}, {"p": $o_p}), n = n, m = m)',
    ],
    lost: [
      'warning join /nodes/1/content in `a`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a list in front of an object',
    nodes: [collect('a'), set('b', 'k', '1', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: collect (i1 input n, o1 output a) | r1: i1 > 1, o1 {"k": n} | -> b',
      'b: k = 1 -> out',
      'out: RESULT (result = $a)',
    ],
  },
  {
    title: 'an object in front of a list',
    nodes: [collect('a'), set('b', 'k', '1', alone)],
    edges: ['in a', 'in b', 'b out', 'a out'],
    steps: [
      '* a: collect (i1 input n, o1 output a) | r1: i1 > 1, o1 {"k": n} | -> b',
      'b: k = 1 -> out',
      'out: RESULT (k = $k)',
    ],
  },
  {
    title: 'an object that may be empty in front of a list',
    nodes: [collect('a'), table('b', 'k', '1')],
    edges: ['in a', 'in b', 'b out', 'a out'],
    steps: [
      '* a: collect (i1 input n, o1 output a) | r1: i1 > 1, o1 {"k": n} | -> b',
      'b: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | -> out',
      'out: RESULT (k = $k)',
    ],
    lost: [
      'warning members /nodes/3 in `out`: objects of several nodes are merged in ZEN, and null removes a member: here a member may be missing, or still be visible',
    ],
  },
  {
    title: 'an object with an object that may be empty in front of a list',
    nodes: [collect('a'), table('b', 'k.l', '1')],
    edges: ['in a', 'in b', 'b out', 'a out'],
    steps: [
      '* a: collect (i1 input n, o1 output a) | r1: i1 > 1, o1 {"k": n} | -> b',
      'b: first (i1 input n, o1 output k_l) | r1: i1 > 1, o1 1 | -> out',
      'out: RESULT (k = {"l": $k_l})',
    ],
    lost: [
      'warning members /nodes/3 in `out`: objects of several nodes are merged in ZEN, and null removes a member: here a member may be missing, or still be visible',
    ],
  },
  {
    title: 'an object with an object in front of a list',
    nodes: [collect('a'), set('b', 'k.l', '1', alone)],
    edges: ['in a', 'in b', 'b out', 'a out'],
    steps: [
      '* a: collect (i1 input n, o1 output a) | r1: i1 > 1, o1 {"k": n} | -> b',
      'b: k_l = 1 -> out',
      'out: RESULT (k = {"l": $k_l})',
    ],
  },
  {
    title: 'the input in front of a list that a table collects',
    nodes: [collect('a')],
    edges: ['in a', 'in out', 'a out'],
    steps: ['* a: collect (i1 input n, o1 output a) | r1: i1 > 1, o1 {"k": n} | -> out', 'out: RESULT (n = n)'],
    lost: [
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a list in front of the input',
    nodes: [collect('a')],
    edges: ['in a', 'a out', 'in out'],
    steps: ['* a: collect (i1 input n, o1 output a) | r1: i1 > 1, o1 {"k": n} | -> out', 'out: RESULT (result = $a)'],
  },
  {
    title: 'two lists',
    nodes: [collect('a'), collect('b')],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: collect (i1 input n, o1 output a) | r1: i1 > 1, o1 {"k": n} | -> b',
      'b: collect (i1 input n, o1 output b) | r1: i1 > 1, o1 {"k": n} | -> out',
      'out: RESULT (result = $a)',
    ],
  },
  {
    title: 'two parts of the input',
    nodes: [
      set('a', 'x', '1', { inputField: 'o', passThrough: true }),
      set('b', 'y', '2', { inputField: 'p', passThrough: true }),
    ],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: x = 1 -> b', 'b: y = 2 -> out', 'out: RESULT (y = coalesce(y, $y), x = $x)'],
    lost: [
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'placeholders of two nodes',
    nodes: [code('a'), code('b')],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: a = lost("the code of a function node") -> b',
      'b: b = lost("the code of a function node") -> out',
      'out: RESULT (result = $a)',
    ],
    lost: [
      'error no-counterpart /nodes/1 in `a`: the code of a function node cannot be converted',
      'error no-counterpart /nodes/2 in `b`: the code of a function node cannot be converted',
      'warning members /nodes/3 in `out`: objects of several nodes are merged in ZEN, and null removes a member: here a member may be missing, or still be visible',
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a placeholder in front of a value',
    nodes: [code('a'), set('b', 'k', '1', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: a = lost("the code of a function node") -> b',
      'b: k = 1 -> out',
      'out: RESULT (result = merge(is_object($a) ? $a : {}, {"k": exists($a.k) ? $a.k : $k}))',
    ],
    lost: [
      'error no-counterpart /nodes/1 in `a`: the code of a function node cannot be converted',
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a value in front of a placeholder',
    nodes: [code('a'), set('b', 'k', '1', alone)],
    edges: ['in a', 'in b', 'b out', 'a out'],
    steps: [
      '* a: a = lost("the code of a function node") -> b',
      'b: k = 1 -> out',
      'out: RESULT (result = merge(is_object($a) ? $a : {}, {"k": $k}))',
    ],
    lost: [
      'error no-counterpart /nodes/1 in `a`: the code of a function node cannot be converted',
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'an object in front of a placeholder',
    nodes: [code('a'), set('b', 'k.l', '1', alone)],
    edges: ['in a', 'in b', 'b out', 'a out'],
    steps: [
      '* a: a = lost("the code of a function node") -> b',
      'b: k_l = 1 -> out',
      'out: RESULT (result = merge(is_object($a) ? $a : {}, {"k": merge(is_object($a.k) ? $a.k : {}, {"l": $k_l})}))',
    ],
    lost: [
      'error no-counterpart /nodes/1 in `a`: the code of a function node cannot be converted',
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a placeholder in front of the input',
    nodes: [code('a')],
    edges: ['in a', 'a out', 'in out'],
    steps: ['* a: a = lost("the code of a function node") -> out', 'out: RESULT (result = $a)'],
    lost: [
      'error no-counterpart /nodes/1 in `a`: the code of a function node cannot be converted',
      'warning members /nodes/2 in `out`: objects of several nodes are merged in ZEN, and null removes a member: here a member may be missing, or still be visible',
      'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'three objects of one name',
    nodes: [set('a', 'o.p', '1', alone), set('b', 'o.q', 'n', alone), set('c', 'o', '{ r: 3 }', alone)],
    edges: ['in a', 'in b', 'in c', 'a out', 'b out', 'c out'],
    steps: [
      '* a: o_p = 1 -> b',
      'b: o_q = n -> c',
      'c: o = {"r": 3} -> out',
      'out: RESULT (o = merge(is_object($o) ? $o : {}, {"q": $o_q, "p": $o_p}))',
    ],
    lost: [
      'warning join /nodes/4 in `out`: two objects of the same name are merged in ZEN; here one replaces the other',
    ],
  },
  {
    title: 'what a node passes on with what it received',
    nodes: [set('a', 'k', 'n', alone), set('b', 'l', '2'), set('c', 'm', 'k')],
    edges: ['in a', 'a b', 'b c', 'c out'],
    steps: ['* a: k = n -> b', 'b: l = 2 -> c', 'c: m = $k -> out', 'out: RESULT (k = $k, l = $l, m = $m)'],
  },
  {
    title: 'null that a node received',
    nodes: [set('a', 'k', 'null', alone), set('b', 'l', 'k')],
    edges: ['in a', 'a b', 'b out'],
    steps: ['* a: k = null -> b', 'b: l = $k -> out', 'out: RESULT (k = $k, l = $l)'],
  },
  {
    title: 'null of one node and a value of another at an end',
    nodes: [set('a', 'k', '1', alone), set('b', 'k', 'n', alone)],
    edges: ['in a', 'in b'],
    steps: ['* a: k = 1 -> b', 'b: k_2 = n -> Result', 'Result: RESULT (k = $k_2)'],
  },
  {
    title: 'fields of other names than variables have',
    nodes: [set('a', 'a-b', '1'), set('b', 'c d.e', '2')],
    edges: ['in a', 'a b', 'b out'],
    steps: [
      '* a: a_b = 1 -> b',
      'b: c_d_e = 2 -> out',
      'out: RESULT (a-b = $a_b, c d = merge(is_object($["c d"]) ? $["c d"] : {}, {"e": $c_d_e}))',
    ],
    lost: [
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'what two nodes pass on',
    nodes: [set('a', 'k', '1'), set('b', 'l', '2')],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: k = 1 -> b', 'b: l = 2 -> out', 'out: RESULT (l = coalesce(l, $l), k = $k)'],
    lost: [
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'what two nodes pass on of one key',
    nodes: [set('a', 'k', '1'), set('b', 'k', 'n')],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: ['* a: k = 1 -> b', 'b: k_2 = n -> out', 'out: RESULT (k = $k, n = n)'],
    lost: [
      'warning join /nodes/2/content in `b`: two objects of the same name are merged in ZEN; here one replaces the other',
      'info input /nodes/3 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  },
  {
    title: 'a row for all with an empty cell in front of a value',
    nodes: [
      table('a', 'k', '1', {
        rules: [
          { _id: 'r', i: '> 1', o: '1' },
          { _id: 's', i: '', o: '' },
        ],
      }),
      set('b', 'k', '2', alone),
    ],
    edges: ['in a', 'in b', 'a out', 'b out'],
    steps: [
      '* a: first (i1 input n, o1 output k) | r1: i1 > 1, o1 1 | r2:  | -> b',
      'b: k_2 = 2 -> out',
      'out: RESULT (k = exists($k) ? $k : $k_2)',
    ],
  },
]

test.each(CONVERTED)('merging $title becomes steps', ({ nodes, edges, steps, lost = [] }) => {
  const converted = fromJdm(documentOf(nodes, edges))
  const [imported] = converted.rulesets
  expect(imported === undefined ? [] : stepLines(imported.ruleset)).toEqual(steps)
  expect(lossLines(converted.lost)).toEqual(lost)
})
