import type { Expression } from '@engine/expression/core'
import type { Message } from '../model.ts'
import { faults } from '../problems.ts'
import { between, refuse } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { decodeText } from './expression.ts'
import type { Place } from './place.ts'

/**
 * Reads a message template: `{expression}` is replaced by the expression's value, `{{` and `}}` are literal braces. An
 * expression ends at its matching `}`, skipping nested braces and string literals; one that starts with an object needs
 * a blank first, `{ {"a": 1}.a}`. All faults are reported.
 */
export function* decodeTemplate(decoding: Decoding, place: Place, text: string): Pausable<Message> {
  const parts: (string | Expression)[] = []
  let plain = ''
  let next = 0
  while (next < text.length) {
    const brace = nextBrace(text, next)
    plain += text.slice(next, brace)
    if (brace === text.length) break
    const character = text[brace]
    if (text[brace + 1] === character) {
      plain += character
      next = brace + 2
    } else if (character === '}') {
      refuse(decoding, place, faults.loneBrace())
      next = brace + 1
    } else {
      yield* between(decoding)
      const end = placeholderEnd(text, brace + 1)
      if (end === undefined) {
        refuse(decoding, place, faults.openPlaceholder())
        break
      }
      const expression = decodePlaceholder(decoding, place, text, brace + 1, end)
      if (plain !== '') parts.push(plain)
      plain = ''
      if (expression !== undefined) parts.push(expression)
      next = end + 1
    }
  }
  if (parts.length === 0) return { kind: 'text', text: plain }
  if (plain !== '') parts.push(plain)
  return { kind: 'template', parts }
}

function decodePlaceholder(
  decoding: Decoding,
  place: Place,
  text: string,
  start: number,
  end: number,
): Expression | undefined {
  const inner = text.slice(start, end)
  if (inner.trim() === '') return refuse(decoding, place, faults.emptyPlaceholder())
  return decodeText(decoding, place, inner, text, start)
}

function nextBrace(text: string, from: number): number {
  for (let index = from; index < text.length; index++) {
    const character = text[index]
    if (character === '{' || character === '}') return index
  }
  return text.length
}

/** Offset of the `}` that closes a placeholder whose expression starts at `start`; undefined when there is none. */
function placeholderEnd(text: string, start: number): number | undefined {
  let depth = 0
  let quote: string | undefined
  for (let index = start; index < text.length; index++) {
    const character = text[index]
    if (quote !== undefined) {
      if (character === '\\') index++
      else if (character === quote) quote = undefined
    } else if (character === '"' || character === "'") quote = character
    else if (character === '{') depth++
    else if (character === '}') {
      if (depth === 0) return index
      depth--
    }
  }
  return undefined
}
