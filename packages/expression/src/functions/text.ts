import { containsValue } from '../operators.ts'
import { TYPE } from '../types.ts'
import { charge, isObject, type Value } from '../value.ts'
import { list, optional, parameter, text, texts, variadic, whole } from './arguments.ts'
import type { FunctionDefinition } from './definition.ts'
import { failures } from './failures.ts'
import { printed } from './printed.ts'

const { any, array, boolean, number, object, string } = TYPE

/** Texts. Characters are UTF-16 code units, as `len` counts them; positions begin at 0. */
export const TEXT: readonly FunctionDefinition[] = [
  {
    name: 'len',
    parameters: [parameter('value', string | array | object)],
    returns: number,
    summary: 'Characters of a string, elements of a list, keys of an object.',
    example: { expression: 'len("hello")', value: 5 },
    implementation: (_runtime, node, value) => {
      if (typeof value === 'string' || Array.isArray(value)) return (value as string).length
      if (value !== undefined && typeof value !== 'function' && isObject(value)) return Object.keys(value).length
      return list(node, 0, value).length
    },
  },
  {
    name: 'upper',
    parameters: [parameter('text', string)],
    returns: string,
    summary: 'In upper case.',
    example: { expression: 'upper("abc")', value: 'ABC' },
    implementation: (runtime, node, value) => {
      const subject = text(node, 0, value)
      charge(runtime, node, subject.length, 'text')
      return subject.toUpperCase()
    },
  },
  {
    name: 'lower',
    parameters: [parameter('text', string)],
    returns: string,
    summary: 'In lower case.',
    example: { expression: 'lower("ABC")', value: 'abc' },
    implementation: (runtime, node, value) => {
      const subject = text(node, 0, value)
      charge(runtime, node, subject.length, 'text')
      return subject.toLowerCase()
    },
  },
  {
    name: 'trim',
    parameters: [parameter('text', string)],
    returns: string,
    summary: 'Without white space at both ends.',
    example: { expression: 'trim("  a b ")', value: 'a b' },
    implementation: (_runtime, node, value) => text(node, 0, value).trim(),
  },
  {
    name: 'starts_with',
    parameters: [parameter('text', string), parameter('start', string)],
    returns: boolean,
    summary: 'Whether a text begins with another; false when one is null.',
    example: { expression: 'starts_with("rule-7", "rule")', value: true },
    implementation: (_runtime, node, value, start) =>
      value !== null && start !== null && text(node, 0, value).startsWith(text(node, 1, start)),
  },
  {
    name: 'ends_with',
    parameters: [parameter('text', string), parameter('end', string)],
    returns: boolean,
    summary: 'Whether a text ends with another; false when one is null.',
    example: { expression: 'ends_with("a.txt", ".txt")', value: true },
    implementation: (_runtime, node, value, end) =>
      value !== null && end !== null && text(node, 0, value).endsWith(text(node, 1, end)),
  },
  {
    name: 'contains',
    parameters: [parameter('container', string | array), parameter('part', any)],
    returns: boolean,
    summary: 'Whether a string contains another, or a list an element; the same as `a contains b`.',
    example: { expression: 'contains([1, 2], 2)', value: true },
    implementation: (_runtime, node, container, part) => containsValue(node, container as Value, part as Value),
  },
  {
    name: 'contains_str',
    parameters: [parameter('text', string), parameter('part', string)],
    returns: boolean,
    summary: 'Whether a string contains another; false when one is null.',
    example: { expression: 'contains_str("abc", "b")', value: true },
    implementation: (_runtime, node, value, part) =>
      value !== null && part !== null && text(node, 0, value).includes(text(node, 1, part)),
  },
  {
    name: 'substring',
    parameters: [parameter('text', string), parameter('start', number), optional('end', number)],
    returns: string,
    summary: 'The characters from `start` up to, not including, `end`; negative positions count from the end.',
    example: { expression: 'substring("abcdef", 1, 3)', value: 'bc' },
    implementation: (runtime, node, value, start, end) => {
      const subject = text(node, 0, value)
      charge(runtime, node, 1, 'text')
      return subject.slice(whole(node, 1, start), end === undefined ? undefined : whole(node, 2, end))
    },
  },
  {
    name: 'char_at',
    parameters: [parameter('text', string), parameter('index', number)],
    returns: string | TYPE.null,
    summary: 'The character at a position, from the end when negative; null where there is none.',
    example: { expression: 'char_at("abc", 1)', value: 'b' },
    implementation: (_runtime, node, value, index) => text(node, 0, value).at(whole(node, 1, index)) ?? null,
  },
  {
    name: 'index_of',
    parameters: [parameter('container', string | array), parameter('part', any)],
    returns: number,
    summary: 'The first position of a part of a string, or of an element of a list; -1 where there is none.',
    example: { expression: 'index_of("hello", "l")', value: 2 },
    implementation: (_runtime, node, container, part) => {
      if (Array.isArray(container)) {
        const items = container as readonly Value[]
        return items.findIndex((item) => containsValue(node, [item], part as Value))
      }
      return text(node, 0, container).indexOf(text(node, 1, part))
    },
  },
  {
    name: 'replace',
    parameters: [parameter('text', string), parameter('from', string), parameter('to', string)],
    returns: string,
    summary: 'With every occurrence of `from` replaced.',
    example: { expression: 'replace("a-b-c", "-", "+")', value: 'a+b+c' },
    implementation: (runtime, node, value, from, to) => {
      const subject = text(node, 0, value)
      const parts = subject.split(text(node, 1, from))
      const by = text(node, 2, to)
      charge(runtime, node, subject.length + (parts.length + 1) * by.length, 'text')
      return subject.replaceAll(from as string, () => by)
    },
  },
  {
    name: 'split',
    parameters: [parameter('text', string), parameter('separator', string)],
    returns: array,
    summary: 'The parts between separators; with an empty separator the characters.',
    example: { expression: 'split("a,b,c", ",")', value: ['a', 'b', 'c'] },
    implementation: (runtime, node, value, separator) => {
      const subject = text(node, 0, value)
      charge(runtime, node, subject.length, 'list')
      return subject.split(text(node, 1, separator))
    },
  },
  {
    name: 'join',
    parameters: [parameter('list', array), optional('separator', string)],
    returns: string,
    summary: 'The texts of a list in one, with a separator between them.',
    example: { expression: 'join(["a", "b"], "-")', value: 'a-b' },
    implementation: (runtime, node, value, separator) => {
      const parts = texts(node, 0, list(node, 0, value))
      const between = separator === undefined ? '' : text(node, 1, separator)
      const length = parts.reduce((sum, part) => sum + part.length + between.length, 0)
      charge(runtime, node, length, 'text')
      return parts.join(between)
    },
  },
  {
    name: 'pad_left',
    parameters: [parameter('text', string), parameter('width', number), optional('fill', string)],
    returns: string,
    summary: 'Filled up on the left to a width, with blanks or the given text.',
    example: { expression: 'pad_left("7", 3, "0")', value: '007' },
    implementation: (runtime, node, value, width, fill) => {
      const subject = text(node, 0, value)
      const length = Math.max(whole(node, 1, width), 0)
      const filling = fill === undefined ? ' ' : text(node, 2, fill)
      charge(runtime, node, Math.max(length, subject.length), 'text')
      return subject.padStart(length, filling)
    },
  },
  {
    name: 'pad_right',
    parameters: [parameter('text', string), parameter('width', number), optional('fill', string)],
    returns: string,
    summary: 'Filled up on the right to a width, with blanks or the given text.',
    example: { expression: 'pad_right("ab", 4, ".")', value: 'ab..' },
    implementation: (runtime, node, value, width, fill) => {
      const subject = text(node, 0, value)
      const length = Math.max(whole(node, 1, width), 0)
      const filling = fill === undefined ? ' ' : text(node, 2, fill)
      charge(runtime, node, Math.max(length, subject.length), 'text')
      return subject.padEnd(length, filling)
    },
  },
  {
    name: 'format',
    parameters: [parameter('template', string), variadic('values', any)],
    returns: string,
    summary: 'A template in which `{0}`, `{1}` … are replaced by the values that follow.',
    example: { expression: 'format("{0} of {1}", 3, "ten")', value: '3 of ten' },
    implementation: (runtime, node, template, ...values) => {
      const subject = text(node, 0, template)
      let length = subject.length
      const shown = new Map<number, string>()
      return subject.replaceAll(/\{(\d{1,5})\}/g, (place, digits: string) => {
        const index = Number(digits)
        const value = values[index]
        if (value === undefined)
          throw failures.badArgument(node, 0, `there is no value for the placeholder \`${place}\``)
        const written = shown.get(index) ?? printed(runtime, node, value as Value)
        shown.set(index, written)
        length += written.length
        charge(runtime, node, length, 'text')
        return written
      })
    },
  },
]
