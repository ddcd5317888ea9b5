import { expect, test } from 'vitest'
import { parse } from './parser.ts'
import { print } from './printer.ts'
import { children, rewrite, walk } from './visitor.ts'
import type { Expression } from './ast.ts'

const TEXT = 'if a in [1, {"k": -b}] then any(c, x => x.d + first(c).e > 2) else !$v'

function tree(text: string): Expression {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(parsed.problems[0]?.message)
  return parsed.expression
}

test('walk visits parents first, in the order of the text', () => {
  const kinds: string[] = []
  walk(tree(TEXT), (node) => kinds.push(node.kind))
  expect(kinds.join(' ')).toBe(
    'conditional binary field array literal object unary field call field lambda binary binary local member call field literal unary variable',
  )
})

test('rewrite replaces children first and leaves the rest as it is', () => {
  const expression = tree(TEXT)
  expect(rewrite(expression, (node) => node)).toBe(expression)
  const renamed = rewrite(expression, (node) =>
    node.kind === 'field' ? { ...node, path: [{ kind: 'name', name: 'z' }] } : node,
  )
  expect(print(renamed)).toBe('(if (z in [1, {"k": (-z)}]) then any(z, x => ((x.d + first(z).e) > 2)) else (!$v))')
})

test('a chain of 5,000 operators is walked without running out of stack', () => {
  const chain = tree(`a${' + a'.repeat(5000)}`)
  let fields = 0
  walk(chain, (node) => (fields += node.kind === 'field' ? 1 : 0))
  expect(fields).toBe(5001)
  expect(rewrite(chain, (node) => (node.kind === 'field' ? { ...node } : node)) === chain).toBe(false)
  expect(children(chain)).toHaveLength(2)
})
