import { quote } from '@engine/expression'
import type { LossText } from '../losses.ts'

const text = (code: string, message: string): LossText => ({ code, message })

/** Messages about unsupported parts of a decision model. */
export const dmnLosses = {
  unreadable: (reason: string) => text('unreadable', `the XML document cannot be parsed: ${reason}`),
  noModel: () =>
    text('no-model', 'this is not a decision model: the root element must be `definitions` of DMN 1.1 to 1.6'),
  unknownDecisionName: (name: string) => text('no-decision', `the model has no decision ${quote(name)}`),
  noDecision: () => text('no-decision', 'the model has no decision'),
  importedModel: () =>
    text('no-decision', 'the model has no decision, and makes no ruleset by itself: others import it'),
  foreign: (name: string) => text('not-of-the-model', `${quote(name)} is not part of the decisions and was omitted`),
  unread: (name: string) => text('not-carried-over', `${quote(name)} is not supported in a ruleset and was omitted`),
  repeatedId: (id: string) => text('repeated-id', `the id ${quote(id)} is used twice`),
  cycle: () => text('cycle', 'the decision directly or indirectly requires itself'),
  unknownDecision: (id: string) =>
    text('unknown-requirement', `the required decision ${quote(id)} is not in this document`),
  missingModel: (namespace: string) =>
    text(
      'missing-model',
      `the imported model ${quote(namespace)} is not among the documents: \`engine import --from dmn\` reads several`,
    ),
  severalModels: (namespace: string, one: string, other: string) =>
    text('several-models', `${quote(one)} and ${quote(other)} both have the imported namespace ${quote(namespace)}`),
  importCycle: (namespace: string) =>
    text('import-cycle', `the imported model ${quote(namespace)} directly or indirectly imports this one`),
  repeatedInput: (name: string) =>
    text('repeated-input', `another model has input data of the name ${quote(name)} too: rename one of them`),
  typeName: (name: string) =>
    text('type-name', `the type ${quote(name)} within an expression of several models is not supported`),
  noLogic: () => text('no-logic', 'the decision has no logic'),
  logic: (name: string, reason: string) =>
    text('boxed-expression', `the boxed expression ${quote(name)} could not be converted: ${reason}`),
  language: (name: string) => text('expression-language', `the language ${quote(name)} is not supported: only FEEL is`),
  feel: (original: string, reason: string) => text('feel', `${quote(original)} could not be converted: ${reason}`),
  arithmetic: () => text('arithmetic', 'a null operand or a division by zero fails instead of giving null'),
  sum: () => text('sum', 'the sum of an empty list is 0 in a ruleset, and null in DMN'),
  'text-length': () =>
    text('text-length', 'lengths and positions count UTF-16 units in a ruleset, and characters in DMN'),
  zone: () => text('zone', 'a date and time in a named time zone is computed by its local time'),
  comparison: () =>
    text('comparison', 'an equality of values of two types is false instead of null, and an order of them fails'),
  allowedValues: () =>
    text('allowed-values', 'the allowed values of an input are not checked: declare them in a contract'),
  allowedResult: (type: string) =>
    text(
      'allowed-values',
      `the allowed values of the type ${quote(type)} are not checked: another value stays as it is, which is null in DMN`,
    ),
  hitPolicy: (name: string) => text('hit-policy', `unknown hit policy ${quote(name)}`),
  noPriorities: () =>
    text('no-priorities', 'priorities require a list of output values that contains every output entry'),
  aggregation: (reason: string) => text('aggregation', `this aggregation is not supported: ${reason}`),
  defaultOfList: () =>
    text(
      'default-output',
      'when no rule matches, the result is the default output itself, not in a list: DMN programs differ here',
    ),
  duration: () => text('duration', 'durations are texts here, which compare differently'),
  entries: (kind: 'input' | 'output', expected: number, found: number) =>
    text(
      'entries',
      `the rule has ${found} ${kind} ${found === 1 ? 'entry' : 'entries'}, and the table ${expected} ${kind}${expected === 1 ? '' : 's'}`,
    ),
  unnamedOutput: () => text('empty-name', 'the output has no name: a table of several outputs has a name for each'),
  undeclaredName: (name: string) =>
    text('undeclared-name', `the decision does not require ${quote(name)}: it is treated as an input field`),
  outputName: (name: string) =>
    text(
      'output-name',
      `${quote(name)} is an output of a required decision, which DMN refers to by the name of the decision`,
    ),
  resultType: (type: string) =>
    text('result-type', `whether the result has the type ${quote(type)} is not known at import`),
  otherType: (type: string) =>
    text(
      'result-type',
      `the result does not have the declared type ${quote(type)}: DMN converts it or makes it null, here it stays as it is`,
    ),
  orphanColumn: () => text('no-input-expression', 'the input has no expression'),
} as const
