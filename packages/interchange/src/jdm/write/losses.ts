import { quote } from '@engine/expression'
import type { LossText } from '../../losses.ts'
import type { Deviation } from './zen-scope.ts'

const text = (code: string, message: string): LossText => ({ code, message })

const DEVIATIONS: { readonly [Name in Deviation]: string } = {
  decimals: 'this engine uses binary doubles, ZEN decimals: results may differ after the 15th digit',
  'number-text':
    'the text of a computed number may have trailing zeros in ZEN, and lists and objects have no text there',
  length: 'this engine measures texts in UTF-16 units, ZEN in bytes, and the length of an object fails in ZEN',
  'unicode-classes': 'classes such as `\\d` and `\\w` match ASCII here and Unicode in ZEN',
  'key-order': 'the order of keys is arbitrary in ZEN',
  truth: 'an empty list or object is false here and true in ZEN',
  comparison: 'a comparison of values of unknown types: lists and objects may be equal here, but never in ZEN',
  order: 'an order comparison of values of unknown types: texts have an order here, but fail in ZEN',
  membership: 'null within a text is false here and fails in ZEN',
  exists: 'a null field exists here, and counts as absent in ZEN',
  defaults: 'an existing null stays null here, and gets the default of its path in ZEN',
  index: 'an index reads the member of this name from an object here, and only list items in ZEN',
}

/** Messages about parts of a draft that a JSON Decision Model cannot express. */
export const jdmLosses = {
  deviation: (deviation: Deviation) => text(deviation, DEVIATIONS[deviation]),
  expression: (original: string, reason: string) =>
    text('no-zen', `${quote(original)} cannot be expressed in ZEN: ${reason}`),
  noStart: () => text('no-start', 'the first step is missing'),
  noTarget: (id: string | undefined) =>
    text('no-target', id === undefined ? 'the next step is missing' : `there is no step ${quote(id)}`),
  loop: () => text('loop', 'the steps form a loop through this one, which nodes cannot'),
  unreachable: () => text('unreachable', 'no step leads to this one: it was omitted'),
  incomplete: (what: string) => text('incomplete', `${what} is missing`),
  subRule: (reason: string) => text('sub-rule', reason),
  tooMany: () => text('too-many', 'the sub-rules have too many steps'),
  calls: () => text('external-calls', 'external calls cannot be expressed in a JSON Decision Model'),
  logging: () => text('logging', 'log messages cannot be expressed in a JSON Decision Model'),
  disabled: () => text('disabled-rows', 'disabled rows were omitted'),
  unique: () => text('unique', 'several matching rows are an error here; in ZEN the first one counts'),
  outputName: (name: string) => text('output-name', `the output ${quote(name)} is not a valid name in ZEN`),
} as const
