import type { ReactNode } from 'react'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'
import { type Comparison, type Condition, readCondition, type Row } from './condition.ts'
import { useNotation } from '../ui/notation.ts'
import { type RowType, shownOperand } from './row-type.ts'

type Words = Texts['conditions']

/** A part of a condition in words. */
interface WordPart {
  readonly kind: 'field' | 'word' | 'value' | 'code'
  readonly text: string
}

/** A condition in words; parts that words cannot express are code. */
function wordsOf({ joiner, rows }: Condition, words: Words): readonly WordPart[] {
  if (rows.length === 0) return [{ kind: 'word', text: words.always }]
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [{ kind: 'word', text: words.joiners[joiner] } as const]),
    ...partsOf(row, words),
  ])
}

function partsOf(row: Row, words: Words): readonly WordPart[] {
  if (row.kind === 'code') return [{ kind: 'code', text: row.text }]
  if (row.kind === 'comparison') return partsOfComparison(row, words)
  return [{ kind: 'word', text: '(' }, ...wordsOf(row, words), { kind: 'word', text: ')' }]
}

/** Dates are texts in expressions. */
const typeOf = ({ operands: [first] }: Comparison): RowType =>
  first?.kind === 'text' && /^["']\d{4}-\d\d-\d\d/.test(first.text) ? 'date' : 'any'

function partsOfComparison(row: Comparison, words: Words): readonly WordPart[] {
  const { subject, operator, operands } = row
  const left: WordPart =
    subject.kind === 'code'
      ? { kind: 'code', text: subject.text }
      : { kind: 'field', text: subject.kind === 'count' ? words.numberOf(subject.text) : subject.text }
  const values = operands.map((operand): WordPart => {
    if (operand.kind === 'field') return { kind: 'field', text: operand.text }
    if (operand.kind === 'boolean')
      return { kind: 'value', text: words.values[operand.text === 'true' ? 'true' : 'false'] }
    const shown = shownOperand(operand)
    return { kind: 'value', text: shown === '' ? '“”' : shown }
  })
  const between: WordPart = { kind: 'word', text: operator === 'between' ? words.joiners.and : ',' }
  return [
    left,
    { kind: 'word', text: words.operator(operator, typeOf(row)) },
    ...values.flatMap((value, index) => (index === 0 ? [value] : [between, value])),
  ]
}

/** Cached words per language and condition text. */
const cache = new WeakMap<Words, Map<string, ReactNode>>()
const MAX_CACHED = 20_000

/** A condition in the selected form: words or code. */
export function ConditionText({ text }: { readonly text: string }): ReactNode {
  const { conditions } = useTexts()
  const notation = useNotation()
  if (notation === 'code') return <Expression text={text} />
  const cached = cache.get(conditions) ?? new Map<string, ReactNode>()
  cache.set(conditions, cached)
  const known = cached.get(text)
  if (known !== undefined) return known
  if (cached.size >= MAX_CACHED) cached.clear()
  const condition = readCondition(text)
  const shown = condition === undefined ? <Expression text={text} /> : <Parts parts={wordsOf(condition, conditions)} />
  cached.set(text, shown)
  return shown
}

const CLOSING = new Set([')', ','])

function Parts({ parts }: { readonly parts: readonly WordPart[] }) {
  return (
    <span className="in-words">
      {parts.map(({ kind, text }, index) => (
        <span key={index} data-part={kind}>
          {index > 0 && !CLOSING.has(text) && parts[index - 1]?.text !== '(' && ' '}
          {kind === 'code' ? <Expression text={text} /> : text}
        </span>
      ))}
    </span>
  )
}
