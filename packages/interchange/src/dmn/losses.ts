import { quote } from '@engine/expression'
import type { LossText } from '../losses.ts'

const text = (code: string, message: string): LossText => ({ code, message })

/** What is said of the parts of a decision model that have no form here. */
export const dmnLosses = {
  unreadable: (reason: string) => text('unreadable', `this is no document of XML that can be read: ${reason}`),
  noModel: () => text('no-model', 'this is no decision model: the root is `definitions` of DMN 1.1 to 1.5'),
  noDecision: () => text('no-decision', 'the model has no decision'),
  foreign: (name: string) => text('not-of-the-model', `${quote(name)} is no part of the decisions: it is left out`),
  unread: (name: string) => text('not-carried-over', `${quote(name)} has no form in a ruleset: it is left out`),
  repeatedId: (id: string) => text('repeated-id', `the id ${quote(id)} is given twice`),
  cycle: (name: string) => text('cycle', `the decision ${quote(name)} requires itself, or one that does`),
  unknownDecision: (id: string) =>
    text('unknown-requirement', `the required decision ${quote(id)} is not in this document`),
  knowledge: () => text('knowledge-requirement', 'business knowledge models and their invocations have no form here'),
  noLogic: () => text('no-logic', 'the decision has no logic'),
  logic: (name: string) => text('boxed-expression', `the boxed expression ${quote(name)} has no form here`),
  language: (name: string) => text('expression-language', `the language ${quote(name)} is not read: only FEEL is`),
  feel: (original: string, reason: string) => text('feel', `${quote(original)} is not carried over: ${reason}`),
  arithmetic: () =>
    text(
      'arithmetic',
      'computed with doubles; an operand that is null, or a division by zero, fails instead of giving null',
    ),
  sum: () => text('sum', 'the sum of an empty list is 0 in a ruleset, and null in DMN'),
  comparison: () => text('comparison', 'false, and not null, where an operand is null or of another type'),
  allowedValues: () =>
    text('allowed-values', 'the allowed values of an input are not checked: declare them in a contract'),
  hitPolicy: (name: string) => text('hit-policy', `there is no hit policy ${quote(name)}`),
  noPriorities: () =>
    text('no-priorities', 'priorities need a list of output values, and output entries that are among them'),
  aggregation: (reason: string) => text('aggregation', `this aggregation has no form here: ${reason}`),
  defaultOfList: () =>
    text(
      'default-output',
      'when no rule matches, the result is the default output itself, not in a list: programs of DMN differ',
    ),
  duration: () => text('duration', 'durations are texts here, which do not compare as durations do'),
  entries: (expected: number, found: number) =>
    text('entries', `the rule has ${found} entries where the table has ${expected} columns`),
  undeclaredName: (name: string) =>
    text('undeclared-name', `the decision requires no ${quote(name)}: it is taken as a field of the input`),
  outputName: (name: string) =>
    text('output-name', `${quote(name)} is an output of a required decision, which is named by the decision in DMN`),
  orphanColumn: () => text('no-input-expression', 'the input has no expression'),
} as const
