import { quote } from '../quote.ts'
import { createList, createText } from '../creation.ts'
import { defined } from '../defined.ts'
import { positionIn } from '../equality.ts'
import { keysOf } from '../members.ts'
import { containsValue } from '../operators.ts'
import { positionOf, positionsOf } from '../text-search.ts'
import { TYPE } from '../types.ts'
import { isList, isObject } from '../value.ts'
import { list, optional, parameter, text, texts, value as valueOf, variadic, whole } from './arguments.ts'
import type { FunctionDefinition } from '../function-definition.ts'
import { failures as common } from '../failures.ts'
import { LIMITS, type Runtime } from '../runtime.ts'
import type { Call } from '../ast.ts'
import { failures } from './failures.ts'
import { printed } from './value-text.ts'

const { any, array, boolean, number, object, string } = TYPE

/** Inserts a text before, between and after all characters. */
function insertedEverywhere(runtime: Runtime, node: Call, subject: string, by: string): string {
  createText(runtime, node, subject.length + (subject.length + 1) * by.length)
  runtime.budget.spend(4 * subject.length)
  return subject.replaceAll('', () => by)
}

/** Texts. Characters are UTF-16 code units, as `len` counts them; positions start at 0. */
export const TEXT: readonly FunctionDefinition[] = [
  {
    name: 'len',
    aliases: ['length', 'size', 'strlen', 'char_length'],
    parameters: [parameter('value', string | array | object)],
    returns: number,
    cost: 6,
    implementation: ({ budget }, node, value) => {
      const found = valueOf(value)
      if (typeof found === 'string') return found.length
      return isObject(found) ? keysOf(found, budget).length : list(node, 0, found).length
    },
  },
  {
    name: 'upper',
    aliases: ['touppercase', 'uppercase', 'ucase'],
    parameters: [parameter('text', string)],
    returns: string,
    cost: 6,
    implementation: (runtime, node, value) => {
      const subject = text(node, 0, value)
      createText(runtime, node, subject.length)
      runtime.budget.spend(subject.length)
      return subject.toUpperCase()
    },
  },
  {
    name: 'lower',
    aliases: ['tolowercase', 'lowercase', 'lcase'],
    parameters: [parameter('text', string)],
    returns: string,
    cost: 6,
    implementation: (runtime, node, value) => {
      const subject = text(node, 0, value)
      createText(runtime, node, subject.length)
      runtime.budget.spend(subject.length)
      return subject.toLowerCase()
    },
  },
  {
    name: 'trim',
    aliases: ['strip'],
    parameters: [parameter('text', string)],
    returns: string,
    cost: 6,
    implementation: ({ budget }, node, value) => {
      const subject = text(node, 0, value)
      budget.spend(subject.length >> 2)
      return subject.trim()
    },
  },
  {
    name: 'starts_with',
    parameters: [parameter('text', string), parameter('start', string)],
    returns: boolean,
    cost: 6,
    implementation: ({ budget }, node, value, start) => {
      if (value === null || start === null) return false
      const [subject, part] = [text(node, 0, value), text(node, 1, start)]
      budget.spend(part.length >> 3)
      return subject.startsWith(part)
    },
  },
  {
    name: 'ends_with',
    parameters: [parameter('text', string), parameter('end', string)],
    returns: boolean,
    cost: 6,
    implementation: ({ budget }, node, value, end) => {
      if (value === null || end === null) return false
      const [subject, part] = [text(node, 0, value), text(node, 1, end)]
      budget.spend(part.length >> 3)
      return subject.endsWith(part)
    },
  },
  {
    name: 'contains',
    aliases: ['includes', 'has'],
    parameters: [parameter('container', string | array), parameter('part', any)],
    returns: boolean,
    cost: 6,
    implementation: (runtime, node, container, part) => containsValue(runtime, node, valueOf(container), valueOf(part)),
  },
  {
    name: 'contains_str',
    parameters: [parameter('text', string), parameter('part', string)],
    returns: boolean,
    cost: 6,
    implementation: ({ budget }, node, value, part) =>
      value !== null && part !== null && positionOf(budget, text(node, 0, value), text(node, 1, part)) >= 0,
  },
  {
    name: 'substring',
    aliases: ['substr', 'mid'],
    parameters: [parameter('text', string), parameter('start', number), optional('end', number)],
    returns: string,
    cost: 6,
    implementation: (runtime, node, value, start, end) => {
      const subject = text(node, 0, value)
      const part = subject.slice(whole(node, 1, start), end === undefined ? undefined : whole(node, 2, end))
      // A substring shares the characters of its source.
      runtime.budget.create(32)
      return part
    },
  },
  {
    name: 'char_at',
    parameters: [parameter('text', string), parameter('index', number)],
    returns: string | TYPE.null,
    cost: 6,
    implementation: (_runtime, node, value, index) => text(node, 0, value).at(whole(node, 1, index)) ?? null,
  },
  {
    name: 'index_of',
    aliases: ['position', 'find_index'],
    parameters: [parameter('container', string | array), parameter('part', any)],
    returns: number,
    cost: 6,
    implementation: ({ budget }, node, container, part) =>
      isList(container)
        ? positionIn(budget, container, valueOf(part), node)
        : positionOf(budget, text(node, 0, container), text(node, 1, part)),
  },
  {
    name: 'replace',
    aliases: ['replace_all'],
    parameters: [parameter('text', string), parameter('from', string), parameter('to', string)],
    returns: string,
    cost: 6,
    implementation: (runtime, node, value, from, to) => {
      const subject = text(node, 0, value)
      const part = text(node, 1, from)
      const by = text(node, 2, to)
      if (part === '') return insertedEverywhere(runtime, node, subject, by)
      const positions = positionsOf(runtime.budget, subject, part)
      createText(runtime, node, subject.length + positions.length * (by.length - part.length))
      // The pieces are joined before they become one text.
      runtime.budget.create(64 * positions.length)
      let result = ''
      let start = 0
      for (const position of positions) {
        result += subject.slice(start, position) + by
        start = position + part.length
      }
      return result + subject.slice(start)
    },
  },
  {
    name: 'split',
    parameters: [parameter('text', string), parameter('separator', string)],
    returns: array,
    cost: 6,
    implementation: (runtime, node, value, separator) => {
      const subject = text(node, 0, value)
      const between = text(node, 1, separator)
      if (between === '') {
        createList(runtime, node, subject.length)
        return subject.split('')
      }
      const positions = positionsOf(runtime.budget, subject, between)
      createList(runtime, node, positions.length + 1)
      // Parts share the characters of the whole text.
      runtime.budget.create(32 * (positions.length + 1))
      const starts = [0, ...positions.map((position) => position + between.length)]
      return starts.map((start, index) => subject.slice(start, positions[index]))
    },
  },
  {
    name: 'join',
    parameters: [{ ...parameter('list', array), elements: string }, optional('separator', string)],
    returns: string,
    cost: 6,
    implementation: (runtime, node, value, separator) => {
      const parts = texts(runtime, node, 0, list(node, 0, value))
      const between = separator === undefined ? '' : text(node, 1, separator)
      runtime.budget.spend(4 * parts.length)
      const length = parts.reduce((sum, part) => sum + part.length + between.length, 0)
      createText(runtime, node, length)
      return parts.join(between)
    },
  },
  {
    name: 'pad_left',
    aliases: ['lpad', 'pad_start'],
    parameters: [parameter('text', string), parameter('width', number), optional('fill', string)],
    returns: string,
    cost: 6,
    implementation: (runtime, node, value, width, fill) => {
      const subject = text(node, 0, value)
      const length = Math.max(whole(node, 1, width), 0)
      const filling = fill === undefined ? ' ' : text(node, 2, fill)
      createText(runtime, node, Math.max(length, subject.length))
      return subject.padStart(length, filling)
    },
  },
  {
    name: 'pad_right',
    aliases: ['rpad', 'pad_end'],
    parameters: [parameter('text', string), parameter('width', number), optional('fill', string)],
    returns: string,
    cost: 6,
    implementation: (runtime, node, value, width, fill) => {
      const subject = text(node, 0, value)
      const length = Math.max(whole(node, 1, width), 0)
      const filling = fill === undefined ? ' ' : text(node, 2, fill)
      createText(runtime, node, Math.max(length, subject.length))
      return subject.padEnd(length, filling)
    },
  },
  {
    name: 'format',
    parameters: [parameter('template', string), variadic('values', any)],
    returns: string,
    cost: 6,
    implementation: (runtime, node, template, ...values) => {
      const subject = text(node, 0, template)
      let length = subject.length
      createText(runtime, node, length)
      runtime.budget.spend(4 * length)
      const shown = new Map<number, string>()
      return subject.replaceAll(/\{(\d{1,5})\}/g, (place, digits: string) => {
        const index = Number(digits)
        const value = values[index]
        if (value === undefined)
          throw failures.badArgument(node, 0, `there is no value for the placeholder ${quote(place)}`)
        const written = shown.get(index) ?? printed(runtime, node, valueOf(value))
        shown.set(index, written)
        length += written.length
        if (length > LIMITS.value) throw common.valueTooLarge(node.span, 'text')
        createText(runtime, node, written.length)
        runtime.budget.spend(8)
        return written
      })
    },
  },
  {
    name: 'sprintf',
    parameters: [parameter('template', string), parameter('values', array)],
    returns: string,
    cost: 6,
    implementation: (runtime, node, template, values) => {
      const subject = text(node, 0, template)
      const given = list(node, 1, values)
      let length = subject.length
      createText(runtime, node, length)
      runtime.budget.spend(4 * length)
      let next = 0
      return subject.replaceAll(/%[sdfv]/g, (place) => {
        if (next === given.length) return place
        const written = printed(runtime, node, defined(given[next++]))
        length += written.length
        if (length > LIMITS.value) throw common.valueTooLarge(node.span, 'text')
        createText(runtime, node, written.length)
        runtime.budget.spend(8)
        return written
      })
    },
  },
]
