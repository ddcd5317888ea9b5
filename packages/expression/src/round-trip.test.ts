import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import type { Expression } from './ast.ts'
import { randomExpression } from './expression.testing.ts'
import { parse } from './parser.ts'
import { print } from './printer.ts'
import { seeded } from './random.testing.ts'
import { children } from './visitor.ts'

const EXPRESSIONS = casesOf(100_000)
const SPANS_OF = casesOf(30_000)

printSeed(EXPRESSIONS)

test(`${EXPRESSIONS} random expressions are the same tree after printing and parsing`, () => {
  const random = seeded(SEED)
  for (let count = 0; count < EXPRESSIONS; count++) {
    const tree = randomExpression(random)
    const text = print(tree)
    const parsed = parse(text)
    if (parsed.kind === 'failed') throw new Error(`${text}: ${parsed.problems[0]?.message ?? ''}`)
    const [before, after] = [shapeOf(tree), shapeOf(parsed.expression)]
    if (before !== after) throw new Error(`${text}\nwas ${before}\nis  ${after}`)
  }
})

test('the text at the span of each node is that node', () => {
  const random = seeded(SEED)
  for (let count = 0; count < SPANS_OF; count++) {
    const text = print(randomExpression(random))
    const parsed = parse(text)
    if (parsed.kind === 'parsed') checkSpans(text, parsed.expression, [])
  }
})

function checkSpans(text: string, node: Expression, locals: readonly string[]): void {
  const inner = node.kind === 'lambda' ? [...locals, ...node.parameters] : locals
  for (const child of children(node)) checkSpans(text, child, inner)
  if (node.kind === 'lambda') return
  const part = text.slice(node.span.start, node.span.end)
  const parsed = parse(part, locals)
  if (parsed.kind === 'failed') throw new Error(`${part}: ${parsed.problems[0]?.message ?? ''}`)
  expect(shapeOf(parsed.expression)).toBe(shapeOf(node))
  if (node.kind === 'binary') expect(text.slice(node.operatorSpan.start, node.operatorSpan.end)).toBe(node.operator)
  if (node.kind === 'call') expect(text.slice(node.nameSpan.start, node.nameSpan.end)).toBe(node.name)
}

/** A tree without its spans, as text. */
function shapeOf(tree: Expression): string {
  return JSON.stringify(tree, (key, value: unknown) => {
    if (SPANS.has(key)) return undefined
    if (typeof value === 'bigint') return `bigint ${value}`
    return Object.is(value, -0) ? '-0' : value
  })
}

const SPANS: ReadonlySet<string> = new Set(['span', 'operatorSpan', 'nameSpan'])
