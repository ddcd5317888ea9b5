import { quote } from '@engine/expression'
import type { LossText } from '../../losses.ts'
import type { Deviation } from './zen-scope.ts'

const text = (code: string, message: string): LossText => ({ code, message })

const DEVIATIONS: { readonly [Name in Deviation]: string } = {
  decimals: 'numbers are binary doubles here and decimals there: results may differ behind the 15th digit',
  'number-text': 'the text of a computed number may end with zeros there, and lists and objects have no text there',
  length: 'lengths of texts are UTF-16 units here and bytes there, and the length of an object fails there',
  'unicode-classes': 'classes such as `\\d` and `\\w` are of ASCII here and of Unicode there',
  'key-order': 'the order of keys is arbitrary there',
  truth: 'an empty list or object counts as false here, and as true there',
  comparison: 'a comparison of values of unknown types: lists and objects may be equal here, and are not there',
  order: 'an order of values of unknown types: texts have an order here, and it fails there',
  membership: 'null within a text is false here, and fails there',
  exists: 'a field that is null exists here, and counts as absent there',
  defaults: 'a null that is present is null here, and gets the default of its path there',
  index: 'an index reads the member of this name from an object here, and only items of lists there',
}

/** What is said of the parts of a draft that have no form in a JSON Decision Model. */
export const jdmLosses = {
  deviation: (deviation: Deviation) => text(deviation, DEVIATIONS[deviation]),
  expression: (original: string, reason: string) =>
    text('no-zen', `${quote(original.slice(0, 200))} has no form in ZEN: ${reason}`),
  noStart: () => text('no-start', 'the first step is missing'),
  noTarget: (id: string | undefined) =>
    text('no-target', id === undefined ? 'the next step is missing' : `there is no step ${quote(id)}`),
  loop: () => text('loop', 'the steps lead back to this one, and nodes cannot'),
  unreachable: () => text('unreachable', 'no step leads to this one: it is left out'),
  incomplete: (what: string) => text('incomplete', `${what} is missing`),
  subRule: (reason: string) => text('sub-rule', reason),
  tooMany: () => text('too-many', 'the sub-rules have too many steps'),
  calls: () => text('external-calls', 'external calls have no form in a JSON Decision Model'),
  logging: () => text('logging', 'log messages have no form in a JSON Decision Model'),
  disabled: () => text('disabled-rows', 'disabled rows are left out'),
  unique: () => text('unique', 'several rows that match are an error here, and the first one counts there'),
  outputName: (name: string) => text('output-name', `the output ${quote(name)} is no name there`),
} as const
