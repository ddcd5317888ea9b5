import { locator, type Problem as ExpressionProblem, quote, type Span } from '@engine/expression'
import { type Fault, type Place, pointer } from '@engine/ruleset'

/** An error in an editor document, or a warning about it. Collected, never thrown. */
export interface Problem {
  /** JSON pointer (RFC 6901) into the given document. */
  readonly path: string
  /** Kebab-case identifier, stable, safe to match on. */
  readonly code: string
  /** Lower-case sentence without a final period, user text in backticks. */
  readonly message: string
  /** A draft with an error can be saved, but not published or released. */
  readonly severity: 'error' | 'warning'
  readonly step_id?: string
  readonly suggestion?: string
  /** One-based, in the text at `path`. */
  readonly line?: number
  /** One-based, in UTF-16 units; always together with `line`. */
  readonly column?: number
  /** UTF-16 units; always together with `line`. */
  readonly length?: number
}

/** A problem without its place. */
export type ProblemText = Pick<Problem, 'code' | 'message' | 'suggestion'>

/** Maximum number of problems in one report; further ones are only counted. */
const MAX_COUNT = 1000

/** Collects the problems of one document. */
export class Report {
  readonly #found: Problem[] = []
  #hidden = 0
  #warnings = 0
  #hasErrors = false
  /** The step whose problems are being reported. */
  stepId: string | undefined

  error(place: Place | undefined, text: ProblemText): undefined {
    this.add({ path: pointer(place), ...text, severity: 'error' })
  }

  warn(place: Place | undefined, text: ProblemText): void {
    this.add({ path: pointer(place), ...text, severity: 'warning' })
  }

  /** Reports a problem within the text at `place`. */
  within(place: Place, text: string, found: ExpressionProblem, span: Span, severity: Problem['severity']): void {
    const { code, message, suggestion } = found
    const length = Math.max(1, span.end - span.start)
    const shown = { path: pointer(place), ...locator(text)(span.start), length, code, message, severity }
    this.add(suggestion === undefined ? shown : { ...shown, suggestion })
  }

  /** When there are more than `MAX_COUNT` problems, warnings are omitted first. */
  add(problem: Problem): void {
    const isError = problem.severity === 'error'
    if (isError) this.#hasErrors = true
    if (this.#found.length >= MAX_COUNT) {
      this.#hidden++
      if (!isError || this.#warnings === 0) return
      this.#found.splice(
        this.#found.findLastIndex(({ severity }) => severity === 'warning'),
        1,
      )
      this.#warnings--
    }
    if (!isError) this.#warnings++
    this.#found.push(this.stepId === undefined ? problem : { step_id: this.stepId, ...problem })
  }

  get hasErrors(): boolean {
    return this.#hasErrors
  }

  /** In the order of reporting; the last one counts the omitted ones. */
  get problems(): readonly Problem[] {
    if (this.#hidden === 0) return this.#found
    const severity = this.#warnings === 0 ? 'error' : 'warning'
    return [...this.#found, { path: '', ...messages.more(this.#hidden), severity }]
  }
}

/** Converts a fault of the engine's decoder to a problem. */
export function problemOf(fault: Fault, severity: Problem['severity']): Problem {
  const { path, code, message, suggestion } = fault
  return suggestion === undefined ? { path, code, message, severity } : { path, code, message, severity, suggestion }
}

const text = (code: string, message: string, suggestion?: string): ProblemText =>
  suggestion === undefined ? { code, message } : { code, message, suggestion }

const guess = (nearest: string | undefined) => (nearest === undefined ? '' : `; did you mean ${quote(nearest)}?`)

/** Every message of this package. */
export const messages = {
  more: (count: number) => text('more', `${count} more not shown`),

  // The shape of documents
  wrongType: (expected: string, found: string) => text('wrong-type', `must be ${expected}, found ${found}`),
  missing: (field: string, expected: string) =>
    text('missing-field', `the field ${quote(field)} is missing: it must be ${expected}`),
  nestedTooDeeply: (limit: number) => text('nested-too-deeply', `must be nested at most ${limit} levels deep`),
  badForm: (found: string) =>
    text('bad-expression-object', `${quote(found)} is not a type of an expression or condition object`),
  badOperator: (found: string) => text('bad-operator', `${quote(found)} is not an operator`),

  // Drafts
  duplicateId: (what: string, id: string) => text('duplicate-id', `another ${what} has the id ${quote(id)}`),
  noStart: () => text('no-start-step', 'the ruleset has no first step: `startStepId` is missing'),
  noTarget: () => text('missing-target', 'this is not connected: choose the next step'),
  unknownStep: (id: string, nearest: string | undefined) =>
    text('unknown-step', `there is no step ${quote(id)}${guess(nearest)}`, nearest),
  unknownSubRule: (name: string, nearest: string | undefined) =>
    text('unknown-sub-rule', `there is no sub-rule ${quote(name)}${guess(nearest)}`, nearest),
  ownSubRule: (name: string) => text('sub-rule-cycle', `the sub-rule ${quote(name)} would use itself`),
  emptyExpression: () => text('empty-expression', 'the expression is missing'),
  emptyName: (what: string) => text('empty-name', `${what} is missing`),
  computedLog: () =>
    text('computed-log', 'a log message must be a constant text in quotes: the engine does not compute it'),
  badTarget: (type: string) =>
    text('bad-call-target', type === 'http' ? 'expected `METHOD URL` or a URL' : 'expected `service#method`'),

  // Tables
  badPath: (found: string) => text('bad-path', `${quote(found)} is not a path such as \`order.total\``),
  notLiteral: (found: string, suggestion: string | undefined) =>
    text('cell-not-literal', `${quote(found)} is not a literal: start a whole condition with \`?\``, suggestion),
  badInterval: () => text('bad-interval', 'an interval is written like `[1..5]` or `(0..1]`, the lower bound first'),
  cellType: (expected: string, found: string) =>
    text('cell-type', `the column has values of the type ${expected}, found ${found}`),
  unknownColumn: (id: string) => text('unknown-column', `there is no column ${quote(id)}`),
  rowTarget: () => text('row-target', 'rows of a table that collects cannot have their own next step'),
  lonelyAggregate: () => text('unused-aggregate', 'an aggregate only has an effect with the hit policy `collect`'),

  // Contracts
  unknownType: (found: string) => text('unknown-type', `${quote(found)} is not a type of a field`),
  factType: (found: string, instead: string | undefined) => ({
    ...text(
      'fact-type',
      `${quote(found)} is only a type of contracts: facts can have \`string\`, \`number\`, \`boolean\`, \`array<…>\`, \`object\` and \`concept:<name>\``,
    ),
    ...(instead !== undefined && { suggestion: instead }),
  }),
  unknownConcept: (name: string) => text('unknown-concept', `there is no concept ${quote(name)}`),
  repeatedName: (name: string) => text('repeated-name', `the name ${quote(name)} is used twice`),
  badVersion: (found: string) => text('bad-version', `${quote(found)} is not a semantic version such as \`1.2.3\``),
  badDefault: (found: string) => text('bad-default', `the default ${found} does not satisfy the field itself`),
  digitsOfOtherType: (type: string) =>
    text('digits-of-other-type', `only a field of the type \`decimal\` has digits, not one of the type ${quote(type)}`),
  badDigits: (least: number, most: number) => text('bad-digits', `must be an integer from ${least} to ${most}`),
  badRange: () => text('bad-range', '`minimum` is greater than `maximum`'),
  undeclaredField: (path: string, nearest: string | undefined) =>
    text('undeclared-field', `the contract declares no field ${quote(path)}${guess(nearest)}`, nearest),
  neverValue: (path: string, value: string, words: string) =>
    text('never-value', `${quote(path)} is never ${quote(value)}: the contract requires it to be ${words}`),
  undeclaredCode: (code: string, nearest: string | undefined) =>
    text('undeclared-code', `the contract has no output code ${quote(code)}${guess(nearest)}`, nearest),
  defaultsWithoutEffect: (mode: string) =>
    text('unused-defaults', `the defaults of the contract have no effect while \`fieldMissing\` is ${quote(mode)}`),
  uncheckedField: (name: string) =>
    text('unchecked-field', `engines do not check the field ${quote(name)} of the contract: its path has an index`),
  unusedDefaults: (mode: string) =>
    text('unused-defaults', `\`defaults\` have no effect while \`fieldMissing\` is ${quote(mode)}`, 'default'),
  badEnumValue: (value: string, type: string) =>
    text('bad-enum', `the value ${value} is not of the type ${quote(type)} of the field`),
  badExample: (value: string, type: string) =>
    text('bad-example', `the example ${value} is not of the type ${quote(type)} of the fact`),
  missingOutput: (code: string, name: string) =>
    text('missing-output', `the contract declares the output ${quote(name)} for ${quote(code)}, which is not set here`),
  undeclaredOutput: (code: string, name: string) =>
    text('undeclared-output', `the contract declares no output ${quote(name)} for ${quote(code)}`),
  outputType: (name: string, expected: string, found: string) =>
    text('output-type', `the output ${quote(name)} has the type ${expected}, found ${found}`),
  missingInput: (path: string) => text('missing-input', `the contract requires the field ${quote(path)}`),
  inputType: (path: string, expected: string, found: string) =>
    text('input-type', `the field ${quote(path)} has the type ${expected}, found ${found}`),
  inputRange: (path: string, expected: string) => text('input-range', `the field ${quote(path)} must be ${expected}`),

  // Archives of projects
  unknownMember: (key: string, nearest: string | undefined) =>
    text('unknown-member', `${quote(key)} has no meaning here${guess(nearest)}`, nearest),
  unreadable: (reason: string) => text('unreadable', reason),
  noProject: () => text('missing-file', 'the archive has no file `project.json`'),
  repeatedFile: () => text('repeated-file', 'the archive contains this file twice'),
  unknownFile: (expected: string) => text('unknown-file', `files in this folder are named like ${quote(expected)}`),
  otherName: (file: string, name: string) =>
    text('other-name', `the file is named ${quote(file)}, its content ${quote(name)}`),
  badName: (reason: string) => text('bad-name', reason),
  laterFormat: (found: number, known: number) =>
    text('later-format', `the archive has format version ${found}, but this program supports versions up to ${known}`),
  unknownRuleset: (name: string, nearest: string | undefined) =>
    text('unknown-ruleset', `there is no ruleset ${quote(name)}${guess(nearest)}`, nearest),
  unknownEnvironment: (name: string, nearest: string | undefined) =>
    text('unknown-environment', `there is no environment ${quote(name)}${guess(nearest)}`, nearest),

  // Conversion from the engine's format
  notConvertible: (what: string) => text('not-convertible', `the editor does not support ${what}`),
} as const
